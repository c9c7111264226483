"""What of the paper has no counterpart here, with the reason; printed with every study."""

from __future__ import annotations

NOT_COMPARED = (
    "The 59 % of the second version's abstract that survive: its text gives no definition, so nothing here can stand beside it.",
    "The second version's share of collaborative sessions: its abstract names the other two only.",
    "Tokens and cost: the paper names neither its prices nor which tokens it counts. Ours are list prices of recorded tokens.",
    "Weaknesses: the paper scanned whole trees with the rules of Semgrep's server on that day, which nobody can run "
    "again. Its rate of vibe-coded commits rests on at most 5.8 % of the added lines, as its own table implies.",
    "Sessions with a clean mapping: 48.6 % in the paper, whose rule is not given. Ours asks for one session, one "
    "commit and no squash.",
    "Human deletion: the paper counts lines that were not committed, whoever removed them. Ours names a person only "
    "with a witness.",
    "Pushback, intent, persona, success, domain and audience need a judge; without labels in the database their table is empty.",
    "Figures without printed numbers: ours stand alone where the data allow it (tools by position, languages of prompts, "
    "modes over time); reading values off the paper's pictures would invent precision.",
    "Semgrep rules by number of findings: the paper's are the server's rules of that day, ours are other rules "
    "(`whowrote findings`).",
)
