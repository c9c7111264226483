<?php

function sql($db, $request, $kind, $ids)
{
    // VULN: sql-tainted sql-built
    $db->query("SELECT * FROM t WHERE a = '" . $_GET['a'] . "'");
    $q = 'SELECT * FROM t WHERE a = ' . $request->input('a');
    // VULN: sql-tainted sql-built
    mysqli_query($db, $q);
    // VULN: sql-tainted
    DB::table('t')->orderByRaw($request->get('order'));
    // VULN: sql-built
    $db->exec("DELETE FROM t WHERE kind = '$kind'");
    // SAFE: sql-tainted sql-built
    DB::select('SELECT * FROM t WHERE a = ?', [$request->input('a')]);
    // SAFE: sql-tainted
    $db->query('SELECT * FROM t LIMIT ' . (int) $_GET['n']);
    // SAFE: sql-built
    $db->prepare('SELECT * FROM t ' . 'WHERE kind = ?');
}

function commands($name)
{
    // VULN: command-tainted command-built
    system('ls ' . $_GET['dir']);
    // VULN: command-tainted
    shell_exec($_POST['command']);
    // VULN: command-built
    exec('tar xf ' . $name, $out);
    // SAFE: command-tainted command-built
    system('ls ' . escapeshellarg($_GET['dir']));
    // SAFE: command-tainted command-built
    exec('ls -l', $out);
    // VULN: code-tainted
    eval($_POST['code']);
    // VULN: code-tainted
    include $_GET['page'] . '.php';
    // SAFE: code-tainted
    include __DIR__ . '/page.php';
    // SAFE: code-tainted
    eval('return 1;');
}

function files($request)
{
    // VULN: path-tainted
    readfile('/srv/' . $_GET['name']);
    // VULN: path-tainted
    unlink('/srv/' . $request->input('name'));
    // SAFE: path-tainted
    readfile('/srv/' . basename($_GET['name']));
    // SAFE: path-tainted
    readfile('/srv/data.txt');
    // VULN: html-tainted
    echo '<p>' . $_GET['name'] . '</p>';
    // VULN: html-tainted
    print('<p>' . $_POST['name'] . '</p>');
    // SAFE: html-tainted
    echo '<p>' . htmlspecialchars($_GET['name']) . '</p>';
    // SAFE: html-tainted
    echo json_encode($_GET['name']);
}

function data($text, $request)
{
    // VULN: unserialize
    unserialize($text);
    // VULN: unserialize
    unserialize($_COOKIE['state']);
    // SAFE: unserialize
    unserialize($text, ['allowed_classes' => false]);
    // SAFE: unserialize
    json_decode($text);
    // VULN: url-tainted
    curl_init($_GET['url']);
    // VULN: url-tainted
    Http::get($request->input('url'));
    // SAFE: url-tainted
    curl_init('https://api.example/items/' . $_GET['id']);
    // SAFE: url-tainted
    Http::get('https://api.example/', ['q' => $request->input('q')]);
    // VULN: redirect-tainted
    header('Location: ' . $_GET['to']);
    // VULN: redirect-tainted
    redirect($request->input('to'));
    // SAFE: redirect-tainted
    header('Location: /home');
    // SAFE: redirect-tainted
    redirect('/items/' . $request->input('id'));
    // VULN: mass-assignment
    User::create($request->all());
    // VULN: mass-assignment
    extract($_POST);
    // SAFE: mass-assignment
    User::create($request->only(['name']));
    // SAFE: mass-assignment
    extract(['a' => 1]);
}

function secrets($user)
{
    // VULN: secret-in-code
    $api_key = 'k8f2-Qm11-zz04-PlNt';
    // VULN: secret-in-code
    new PDO('mysql:host=db', 'a', 'w1nter-is-over');
    // SAFE: secret-in-code
    $password = getenv('PASSWORD1');
    // SAFE: secret-in-code
    $token_url = 'https://a.example/oauth2/token';
    // VULN: weak-hash
    md5($user->password);
    // VULN: weak-hash weak-random
    sha1(uniqid());
    // SAFE: weak-hash
    password_hash($user->password, PASSWORD_DEFAULT);
    // SAFE: weak-hash
    md5($user->page);
    // VULN: weak-cipher
    openssl_encrypt('x', 'des-ede3', 'k');
    // VULN: weak-cipher
    openssl_encrypt('x', 'aes-128-ecb', 'k');
    // SAFE: weak-cipher
    openssl_encrypt('x', 'aes-256-gcm', 'k');
    // SAFE: weak-cipher
    openssl_encrypt('x', 'chacha20-poly1305', 'k');
}

function others($ch, $doc, $path)
{
    // VULN: tls-unverified
    curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);
    // VULN: tls-unverified
    Http::withoutVerifying()->get('https://a.example');
    // SAFE: tls-unverified
    curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, true);
    // SAFE: tls-unverified
    curl_setopt($ch, CURLOPT_CAINFO, '/etc/ca.pem');
    // VULN: xml-entities
    $doc->loadXML('<a/>', LIBXML_NOENT);
    // VULN: xml-entities
    simplexml_load_string('<a/>', 'SimpleXMLElement', LIBXML_NOENT | LIBXML_DTDLOAD);
    // SAFE: xml-entities
    $doc->loadXML('<a/>');
    // SAFE: xml-entities
    simplexml_load_string('<a/>', 'SimpleXMLElement', LIBXML_NONET);
    // VULN: file-mode
    chmod($path, 0777);
    // VULN: file-mode
    mkdir($path, 0777, true);
    // SAFE: file-mode
    chmod($path, 0640);
    // SAFE: file-mode
    mkdir($path, 0755);
    // VULN: telling
    phpinfo();
    // VULN: telling
    ini_set('display_errors', '1');
    // SAFE: telling
    ini_set('display_errors', '0');
    // SAFE: telling
    phpversion();
}

function new_token()
{
    // VULN: weak-random
    return mt_rand();
}

function random_things($user)
{
    // VULN: weak-random
    $session_id = uniqid();
    // SAFE: weak-random
    $delay = mt_rand(1, 10);
    // SAFE: weak-random
    $token = bin2hex(random_bytes(16));
    // VULN: temporary-fixed
    file_put_contents('/tmp/app.log', $user);
    // VULN: temporary-fixed
    fopen('/tmp/app.log', 'a');
    // SAFE: temporary-fixed
    file_put_contents('app.log', $user);
    // SAFE: temporary-fixed
    fopen('/tmp/app.log', 'r');
}
