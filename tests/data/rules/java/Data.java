package data;

import java.io.*;
import java.security.*;
import javax.crypto.*;
import javax.net.ssl.*;
import javax.xml.parsers.*;

class Data {
    // VULN: secret-in-code
    private static final String API_KEY = "k8f2-Qm11-zz04-PlNt";
    // SAFE: secret-in-code
    private static final String TOKEN_HEADER = "X-Token-2";
    // SAFE: secret-in-code
    private final String password = System.getenv("PASSWORD1");

    Object read(InputStream in, ObjectInputStream objects, String text) throws Exception {
        // VULN: deserialize
        objects.readObject();
        // VULN: deserialize
        new Yaml().load(text);
        // SAFE: deserialize
        new Yaml(new SafeConstructor()).load(text);
        // SAFE: deserialize
        return new ObjectMapper().readValue(text, Data.class);
    }

    void documents() throws Exception {
        // VULN: xml-entities
        DocumentBuilderFactory.newInstance().newDocumentBuilder();
        SAXParserFactory loose = SAXParserFactory.newInstance();
        // VULN: xml-entities
        loose.newSAXParser();
        DocumentBuilderFactory strict = DocumentBuilderFactory.newInstance();
        strict.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        // SAFE: xml-entities
        strict.newDocumentBuilder();
        // SAFE: xml-entities
        other.newDocument();
    }

    void questions(DirContext dir, XPath xpath, String name, Object doc) throws Exception {
        // VULN: ldap-built
        dir.search("ou=people", "(uid=" + name + ")", new SearchControls());
        // VULN: ldap-built
        dir.search("ou=people", "(&(a=b)(cn=*" + name + "*))", new SearchControls());
        // VULN: xpath-built
        xpath.evaluate("//user[name='" + name + "']", doc);
        // VULN: xpath-built
        xpath.compile("//user[@id=" + name + "]");
        // SAFE: ldap-built
        dir.search("ou=people", "(uid={0})", new Object[] {name}, new SearchControls());
        // SAFE: ldap-built
        dir.search("ou=people", "(objectClass=person)", new SearchControls());
        // SAFE: xpath-built
        xpath.evaluate("//user", doc);
        // SAFE: xpath-built
        xpath.compile("//user[name=$name]");
    }

    void ciphers(byte[] key) throws Exception {
        // VULN: secret-in-code
        new SecretKeySpec("0123456789abcdef".getBytes(), "AES");
        // VULN: weak-hash
        MessageDigest.getInstance("MD5");
        // VULN: weak-hash
        MessageDigest.getInstance("SHA-1");
        // SAFE: weak-hash
        MessageDigest.getInstance("SHA-256");
        // SAFE: weak-hash
        DigestUtils.sha256Hex("x");
        // VULN: weak-cipher
        Cipher.getInstance("DES/CBC/PKCS5Padding");
        // VULN: weak-cipher
        Cipher.getInstance("AES");
        // SAFE: weak-cipher
        Cipher.getInstance("AES/GCM/NoPadding");
        // SAFE: weak-cipher
        Cipher.getInstance("ChaCha20-Poly1305");
    }

    String newToken() {
        // VULN: weak-random
        return "" + new Random().nextInt();
    }

    double salt() {
        // VULN: weak-random
        return Math.random();
    }

    double jitter() {
        // SAFE: weak-random
        return Math.random();
    }

    String betterToken(SecureRandom random) {
        // SAFE: weak-random
        return "" + random.nextInt();
    }

    void transport(HttpsURLConnection connection) throws Exception {
        // VULN: tls-unverified
        HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> true);
        // VULN: tls-unverified
        use(NoopHostnameVerifier.INSTANCE);
        // SAFE: tls-unverified
        connection.setHostnameVerifier(HttpsURLConnection.getDefaultHostnameVerifier());
        // SAFE: tls-unverified
        connection.setHostnameVerifier((host, session) -> host.equals("a.example"));
        // VULN: tls-old
        SSLContext.getInstance("SSLv3");
        // VULN: tls-old
        SSLContext.getInstance("TLSv1.1");
        // SAFE: tls-old
        SSLContext.getInstance("TLSv1.3");
        // SAFE: tls-old
        SSLContext.getInstance("TLS");
    }

    void logs(String user, String password, String apiKey) {
        // VULN: secret-logged
        log.info("login {} {}", user, password);
        // VULN: secret-logged
        log.debug("key " + apiKey);
        // SAFE: secret-logged
        log.info("login {}", user);
        // SAFE: secret-logged
        log.debug("no password given");
    }

    void files() throws Exception {
        // VULN: temporary-fixed
        new File("/tmp/app.lock");
        // VULN: temporary-fixed
        new FileWriter("/tmp/app.log");
        // SAFE: temporary-fixed
        File.createTempFile("app", ".lock");
        // SAFE: temporary-fixed
        new File("/srv/app.lock");
    }

    void modes(File file) {
        // VULN: file-mode
        file.setWritable(true, false);
        // VULN: file-mode
        PosixFilePermissions.fromString("rwxrwxrwx");
        // SAFE: file-mode
        file.setWritable(true);
        // SAFE: file-mode
        PosixFilePermissions.fromString("rw-------");
    }

    void tables(Statement statement, String tableName) throws Exception {
        // SAFE: sql-built
        statement.executeQuery("SELECT * FROM " + tableName);
        // SAFE: sql-built
        statement.executeQuery("SELECT * FROM " + Names.USERS);
    }
}
