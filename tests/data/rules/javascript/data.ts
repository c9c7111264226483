import * as crypto from 'crypto';
import jwt from 'jsonwebtoken';
import serialize from 'node-serialize';
import yaml from 'js-yaml';
import cors from 'cors';

// VULN: secret-in-code
const API_KEY = 'k8f2-Qm11-zz04-PlNt';
// SAFE: secret-in-code
const TOKEN = process.env.TOKEN;
// SAFE: secret-in-code
const tokenUrl = 'https://a.example/oauth2/token';

export function read(text: string, libxml: any) {
  // VULN: unserialize
  serialize.unserialize(text);
  // VULN: unserialize
  yaml.load(text, { schema: yaml.DEFAULT_FULL_SCHEMA });
  // SAFE: unserialize
  JSON.parse(text);
  // SAFE: unserialize
  yaml.load(text);
  // VULN: xml-entities
  libxml.parseXml(text, { noent: true });
  // VULN: xml-entities
  libxml.parseXmlString(text, { noblanks: true, noent: true });
  // SAFE: xml-entities
  libxml.parseXml(text);
  // SAFE: xml-entities
  libxml.parseXml(text, { noent: false });
}

export async function assign(req: any, User: any) {
  // VULN: mass-assignment
  Object.assign(req.user, req.body);
  // VULN: mass-assignment
  await User.create(req.body);
  // SAFE: mass-assignment
  await User.create({ name: req.body.name });
  // SAFE: mass-assignment
  Object.assign(req.user, { name: req.body.name });
}

export function secrets(user: any, connect: any) {
  // VULN: secret-in-code
  connect({ user: 'a', password: 'w1nter-is-over' });
  // VULN: secret-in-code
  jwt.sign(user, 'my-super-secret-signing-key');
  // SAFE: secret-in-code
  connect({ user: 'a', password: 'changeme' });
  // SAFE: secret-in-code
  jwt.sign(user, TOKEN!);
  // VULN: jwt-unverified
  jwt.verify('t', TOKEN!, { algorithms: ['HS256', 'none'] });
  // SAFE: jwt-unverified
  jwt.verify('t', TOKEN!, { algorithms: ['HS256'] });
  // SAFE: jwt-unverified
  jwt.decode('t');
  // SAFE: jwt-unverified
  jwt.sign(user, TOKEN!, { algorithm: 'HS256' });
  return [API_KEY, tokenUrl];
}

export function unverified(token: string) {
  // VULN: jwt-unverified
  return jwt.decode(token);
}

export function ciphers(key: Buffer, data: string) {
  // VULN: weak-hash
  crypto.createHash('md5').update(data);
  // VULN: weak-hash
  crypto.createHash('sha1');
  // SAFE: weak-hash
  crypto.createHash('sha256');
  // SAFE: weak-hash
  crypto.createHmac('sha512', key);
  // SAFE: weak-hash
  const cacheKey = crypto.createHash('md5').update(data).digest('hex');
  // SAFE: weak-hash
  const etag = crypto.createHash('sha1').update(data).digest('hex');
  // VULN: weak-cipher
  crypto.createCipheriv('des-ede3-cbc', key, key);
  // VULN: weak-cipher
  crypto.createCipheriv('aes-128-ecb', key, null);
  // SAFE: weak-cipher
  crypto.createCipheriv('aes-256-gcm', key, crypto.randomBytes(12));
  // SAFE: weak-cipher
  crypto.generateKeyPairSync('rsa', { modulusLength: 4096 });
  // VULN: weak-random
  const token = Math.random().toString(36);
  // VULN: weak-random
  const session = { sessionId: Math.random() };
  // SAFE: weak-random
  const delay = Math.random() * 100;
  // SAFE: weak-random
  const secret = crypto.randomUUID();
  return [token, session, delay, secret];
}

export function browser(res: any, app: any, frame: any, token: string, password: string, apiKey: string) {
  // VULN: cookie-flags
  res.cookie('session', token, { httpOnly: false });
  // VULN: cookie-flags
  res.cookie('token', token);
  // SAFE: cookie-flags
  res.cookie('session', token, { httpOnly: true, secure: true });
  // SAFE: cookie-flags
  res.cookie('theme', 'dark');
  // VULN: cors-any
  app.use(cors({ origin: '*' }));
  // VULN: cors-any
  res.setHeader('Access-Control-Allow-Origin', '*');
  // SAFE: cors-any
  app.use(cors({ origin: 'https://a.example' }));
  // SAFE: cors-any
  res.setHeader('Access-Control-Allow-Origin', 'https://a.example');
  // VULN: post-message-any
  frame.postMessage({ token }, '*');
  // VULN: post-message-any
  window.parent.postMessage('x', '*');
  // SAFE: post-message-any
  frame.postMessage({ token }, 'https://a.example');
  // SAFE: post-message-any
  worker.postMessage({ token });
  // VULN: secret-logged
  console.log('password', password);
  // VULN: secret-logged
  console.log(`key ${apiKey}`);
  // SAFE: secret-logged
  console.log('no password given');
  // SAFE: secret-logged
  console.log('has key', Boolean(apiKey));
  // VULN: token-in-storage
  localStorage.setItem('authToken', token);
  // VULN: token-in-storage
  window.localStorage.setItem('jwt', token);
  // SAFE: token-in-storage
  localStorage.setItem('theme', 'dark');
  // SAFE: token-in-storage
  localStorage.getItem('authToken');
  try {
    app.run();
  } catch (err: any) {
    // VULN: trace-returned
    res.status(500).send(err.stack);
    // VULN: trace-returned
    res.status(500).json({ error: 'x', stack: err.stack });
    // SAFE: trace-returned
    console.error(err.stack);
    // SAFE: trace-returned
    res.status(500).send('something went wrong');
  }
}
