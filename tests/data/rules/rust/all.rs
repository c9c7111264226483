use axum::extract::Path;
use axum::response::Html;
use std::fs;
use std::fs::File;
use std::process::Command;

// VULN: secret-in-code
const API_KEY: &str = "k8f2-Qm11-zz04-PlNt";
// SAFE: secret-in-code
const TOKEN_URL: &str = "https://a.example/oauth2/token";

fn sql(conn: &Connection, name: &str) {
    // VULN: sql-built
    conn.execute(&format!("DELETE FROM t WHERE a = '{}'", name), []);
    let q = format!("SELECT * FROM t WHERE a = {name}");
    // VULN: sql-built
    sqlx::query(&q);
    // SAFE: sql-built
    sqlx::query("SELECT * FROM t WHERE a = $1").bind(name);
    // SAFE: sql-built
    conn.execute("DELETE FROM t WHERE a = ?1", [name]);
}

fn commands(name: &str, script: &str) {
    // VULN: command-built
    Command::new("sh").arg("-c").arg(format!("ls {}", name)).status();
    // VULN: command-built
    Command::new("bash").args(["-c", &format!("cd {name} && make")]).status();
    // VULN: shell-command
    Command::new("bash").arg("-c").arg(script).status();
    // VULN: shell-command
    Command::new("/bin/sh").args(["-c", script]).status();
    let mut process = Command::new("sh");
    // VULN: shell-command
    process.arg("-c").arg(script);
    let mut git = Command::new("git");
    // SAFE: shell-command
    git.arg("-c").arg(script);
    // SAFE: command-built shell-command
    Command::new("sh").arg("-c").arg("ls | wc -l").status();
    // SAFE: command-built shell-command
    Command::new("git").arg("-c").arg(script).status();
}

fn clients() {
    // VULN: tls-unverified
    reqwest::Client::builder().danger_accept_invalid_certs(true).build();
    // VULN: tls-unverified
    reqwest::Client::builder().danger_accept_invalid_hostnames(true).build();
    // SAFE: tls-unverified
    reqwest::Client::builder().danger_accept_invalid_certs(false).build();
    // SAFE: tls-unverified
    reqwest::Client::builder().build();
}

async fn page(name: String) -> Html<String> {
    // VULN: html-built
    Html(format!("<p>{}</p>", name))
}

async fn answer(name: String) -> HttpResponse {
    // VULN: html-built
    HttpResponse::Ok().body(format!("<p>{name}</p>"))
}

async fn safe_page(name: String) -> Html<String> {
    // SAFE: html-built
    Html("<p>constant</p>".to_string())
}

async fn safe_answer(name: String) -> HttpResponse {
    // SAFE: html-built
    HttpResponse::Ok().body(format!("name: {name}"))
}

async fn read(Path(name): Path<String>) -> String {
    // VULN: input-tainted
    fs::read_to_string(format!("docs/{}", name)).unwrap()
}

async fn remove(name: web::Path<String>) -> String {
    // VULN: input-tainted
    fs::remove_file(name.as_str());
    // SAFE: input-tainted
    fs::read_to_string("docs/x").unwrap()
}

async fn other(Path(id): Path<u32>) -> String {
    // SAFE: input-tainted
    fs::read_to_string(format!("docs/{}", id)).unwrap()
}

fn hashes(data: &[u8], path: &str) {
    // VULN: weak-hash
    let a = md5::compute(data);
    // VULN: weak-hash
    let b = Sha1::digest(data);
    // SAFE: weak-hash
    let c = Sha256::digest(data);
    // SAFE: weak-hash
    let d = blake3::hash(data);
    // VULN: file-mode
    fs::set_permissions(path, fs::Permissions::from_mode(0o777));
    // VULN: file-mode
    perms.set_mode(0o777);
    // SAFE: file-mode
    fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    // SAFE: file-mode
    perms.set_mode(0o755);
    // VULN: secret-in-code
    let password = "w1nter-is-over";
    // SAFE: secret-in-code
    let token = std::env::var("TOKEN").unwrap();
}

fn telling(password: &str, cfg: &Config, user: &str) {
    // VULN: secret-logged
    println!("password is {}", password);
    // VULN: secret-logged
    info!("key {}", cfg.api_key);
    // VULN: secret-logged
    println!("password is {password}");
    // SAFE: secret-logged
    println!("user {}", user);
    // SAFE: secret-logged
    info!("password of {} is set", user);
    // VULN: temporary-fixed
    fs::write("/tmp/app.log", user);
    // VULN: temporary-fixed
    File::create("/tmp/app.log");
    // SAFE: temporary-fixed
    fs::write("app.log", user);
    // SAFE: temporary-fixed
    fs::read("/tmp/app.log");
}

#[cfg(test)]
mod tests {
    // SAFE: secret-in-code
    const SECRET: &str = "k8f2-Qm11-zz04-PlNt";
}
