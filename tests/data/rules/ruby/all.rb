class ItemsController < ApplicationController
  # VULN: csrf-off
  skip_before_action :verify_authenticity_token
  # VULN: csrf-off
  skip_forgery_protection
  # SAFE: csrf-off
  protect_from_forgery with: :exception
  # SAFE: csrf-off
  skip_before_action :authenticate

  def sql(kind, ids)
    # VULN: sql-tainted sql-built
    Item.where("name = '#{params[:name]}'")
    # VULN: sql-tainted sql-built
    Item.order("name " + params[:direction])
    # VULN: sql-built
    Item.find_by_sql("SELECT * FROM items WHERE kind = #{kind}")
    # SAFE: sql-tainted sql-built
    Item.where("name = ?", params[:name])
    # SAFE: sql-tainted sql-built
    Item.where(name: params[:name])
    # SAFE: sql-built
    Item.where("kind = #{connection.quote(kind)}")
    # SAFE: sql-built
    Item.order("#{sort_column} #{sort_direction}")
    # VULN: sql-tainted sql-built
    Item.order("#{params[:sort]} DESC")
  end

  def commands(name)
    # VULN: command-tainted command-built
    system("ls #{params[:dir]}")
    # VULN: command-tainted
    exec(params[:command])
    # VULN: command-built
    IO.popen("tar xf #{name}")
    # SAFE: command-tainted command-built
    system("ls", params[:dir])
    # SAFE: command-tainted command-built
    system("ls #{Shellwords.escape(params[:dir])}")
    # VULN: code-tainted
    eval(params[:code])
    # VULN: code-tainted
    params[:type].constantize
    # SAFE: code-tainted
    eval("1 + 1")
    # SAFE: code-tainted
    item.send(:name)
  end

  def files
    # VULN: path-tainted
    send_file("/srv/#{params[:name]}")
    # VULN: path-tainted
    File.read("/srv/" + params[:name])
    # SAFE: path-tainted
    send_file("/srv/#{File.basename(params[:name])}")
    # SAFE: path-tainted
    File.read("/srv/data.txt")
    # VULN: html-unescaped
    params[:note].html_safe
    # VULN: html-unescaped
    raw(params[:note])
    # SAFE: html-unescaped
    ERB::Util.html_escape(params[:note])
    # SAFE: html-unescaped
    "<b>constant</b>".html_safe
  end

  def data(text)
    # VULN: deserialize
    Marshal.load(text)
    # VULN: deserialize
    YAML.unsafe_load(text)
    # SAFE: deserialize
    YAML.safe_load(text)
    # SAFE: deserialize
    Marshal.load(Marshal.dump(text))
    # VULN: url-tainted
    URI.open(params[:url])
    # VULN: url-tainted
    HTTParty.get(params[:url])
    # SAFE: url-tainted
    HTTParty.get("https://api.example/", query: { q: params[:q] })
    # SAFE: url-tainted
    URI.open("https://api.example/")
    # VULN: redirect-tainted
    redirect_to params[:to]
    # VULN: redirect-tainted
    redirect_to(params[:to] || root_path)
    # SAFE: redirect-tainted
    redirect_to items_path
    # SAFE: redirect-tainted
    redirect_to item_path(params[:id])
    # VULN: mass-assignment
    Item.create(params.permit!)
    # VULN: mass-assignment
    Item.create(params.to_unsafe_h)
    # SAFE: mass-assignment
    Item.create(params.require(:item).permit(:name))
    # SAFE: mass-assignment
    Item.create(name: params[:name])
  end

  def crypto(http, token, path, text)
    # VULN: weak-crypto
    Digest::MD5.hexdigest(text)
    # VULN: weak-crypto
    OpenSSL::Cipher.new("des-ede3-cbc")
    # SAFE: weak-crypto
    Digest::SHA256.hexdigest(text)
    # SAFE: weak-crypto
    OpenSSL::Cipher.new("aes-256-gcm")
    # VULN: tls-unverified
    http.verify_mode = OpenSSL::SSL::VERIFY_NONE
    # VULN: tls-unverified
    HTTParty.get("https://a.example", verify: false)
    # SAFE: tls-unverified
    http.verify_mode = OpenSSL::SSL::VERIFY_PEER
    # SAFE: tls-unverified
    HTTParty.get("https://a.example", timeout: 5)
    # VULN: jwt-unverified
    JWT.decode(token, nil, false)
    # VULN: jwt-unverified
    JWT.encode({}, nil, "none")
    # SAFE: jwt-unverified
    JWT.decode(token, ENV["KEY"], true, algorithm: "HS256")
    # SAFE: jwt-unverified
    JWT.encode({}, ENV["KEY"], "HS256")
    # VULN: file-mode
    File.chmod(0777, path)
    # VULN: file-mode
    FileUtils.chmod(0777, path)
    # SAFE: file-mode
    File.chmod(0600, path)
    # SAFE: file-mode
    FileUtils.chmod(0755, path)
  end
end

class Tokens
  def new_token
    # VULN: weak-random
    rand(1_000_000).to_s
  end

  def others(user, doc, password)
    # VULN: weak-random
    session_id = Random.rand(1000)
    # SAFE: weak-random
    delay = rand(10)
    # SAFE: weak-random
    token = SecureRandom.hex(16)
    # VULN: xml-entities
    Nokogiri::XML(doc) { |config| config.noent }
    # VULN: xml-entities
    Nokogiri::XML(doc, nil, nil, Nokogiri::XML::ParseOptions::NOENT)
    # SAFE: xml-entities
    Nokogiri::XML(doc)
    # SAFE: xml-entities
    Nokogiri::XML(doc) { |config| config.nonet }
    # VULN: secret-logged
    Rails.logger.info("login with #{password}")
    # VULN: secret-logged
    puts "key #{user.api_key}"
    # SAFE: secret-logged
    Rails.logger.info("login of #{user.name}")
    # SAFE: secret-logged
    puts "password is set"
    # VULN: temporary-fixed
    File.write("/tmp/app.log", user.name)
    # VULN: temporary-fixed
    File.open("/tmp/app.log", "w")
    # SAFE: temporary-fixed
    File.write("app.log", user.name)
    # SAFE: temporary-fixed
    File.open("/tmp/app.log")
  end
end
