#!/usr/bin/env bash
name=$1
# VULN: pipe-to-shell
curl -fsSL https://get.example.com | bash
# VULN: pipe-to-shell
bash <(curl -s https://get.example.com)
# SAFE: pipe-to-shell
curl -fsSLO https://get.example.com/tool.tgz
# SAFE: pipe-to-shell
curl -s https://get.example.com | jq .
# SAFE: pipe-to-shell
echo "install it: curl -sSL https://get.example.com | sh"
cat <<EOF
# SAFE: pipe-to-shell
curl -sSL https://get.example.com | sh
EOF
# VULN: pipe-to-shell
sudo bash -c 'curl -sSL https://get.example.com | bash'
# VULN: tls-unverified
curl -k https://a.example/x
# VULN: tls-unverified
ssh -o StrictHostKeyChecking=no a@example.com true
# SAFE: tls-unverified
curl --cacert ca.pem https://a.example/x
# SAFE: tls-unverified
ssh -o StrictHostKeyChecking=accept-new a@example.com true
# VULN: eval-built
eval "install_$name"
# VULN: eval-built
eval echo \$x $name
# SAFE: eval-built
eval "$(ssh-agent -s)"
# SAFE: eval-built
"install_$name"
# VULN: eval-variable
eval "$name"
# VULN: eval-variable
eval $name 2>/dev/null || exit
settings=$(ssh-agent -s)
# SAFE: eval-variable
eval "$settings"
# SAFE: eval-variable
eval "$(ssh-agent -s)"
# VULN: command-built
bash -c "process $name"
# VULN: command-built
sh -c "cd ${name} && make"
# SAFE: command-built
bash -c 'process "$1"' _ "$name"
# SAFE: command-built
bash -c "make all"
# VULN: shell-command
bash -c "$name 2>&1"
# VULN: shell-command
exec sh -c "$@"
# SAFE: shell-command
bash -c "make all"
# SAFE: shell-command
bash -c 'process "$1"' _ "$name"
# VULN: file-mode
chmod -R 777 /opt/x
# VULN: file-mode
chmod a+w /opt/x
# SAFE: file-mode
chmod 755 /opt/x
# SAFE: file-mode
chmod u+w /opt/x
# VULN: secret-in-code
export API_KEY="k8f2-Qm11-zz04-PlNt"
# VULN: secret-in-code
DB_PASSWORD=w1nter-is-over
# SAFE: secret-in-code
API_KEY="${API_KEY:-}"
# SAFE: secret-in-code
TOKEN=$(cat token1)
# VULN: temporary-fixed
date > /tmp/app.log
# VULN: temporary-fixed
LOG=/tmp/app.$$.log
# SAFE: temporary-fixed
LOG=$(mktemp)
# SAFE: temporary-fixed
cat /tmp/app.log
# VULN: clear-text
curl http://files.a-company.net/x
# VULN: clear-text
wget -q http://files.a-company.net/x
# SAFE: clear-text
curl https://files.a-company.net/x
# SAFE: clear-text
curl http://localhost:8000/x
# VULN: secret-logged
echo "password: $DB_PASSWORD"
# VULN: secret-logged
echo $API_TOKEN
# SAFE: secret-logged
echo "$API_TOKEN" | docker login --password-stdin
# SAFE: secret-logged
echo "no token given"
