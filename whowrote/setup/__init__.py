"""What `whowrote init` writes into a project: the settings of agents and editors, a hook, a job."""
