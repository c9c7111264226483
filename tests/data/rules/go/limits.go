package limits

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"net/http"
	"time"
)

func serve(h http.Handler) {
	// VULN: server-no-timeout
	http.ListenAndServe(":8080", h)
	// VULN: server-no-timeout
	one := &http.Server{Addr: ":8080", Handler: h}
	// SAFE: server-no-timeout
	two := &http.Server{Addr: ":8080", ReadHeaderTimeout: 5 * time.Second}
	// SAFE: server-no-timeout
	two.ListenAndServe()
	_ = one
}

func unpack(z *zip.Reader, in io.Reader, out io.Writer) {
	for _, entry := range z.File {
		file, err := entry.Open()
		// VULN: archive-unlimited
		io.Copy(out, file)
		_ = err
	}
	plain, err := gzip.NewReader(in)
	// VULN: archive-unlimited
	io.Copy(out, plain)
	_ = err
	t := tar.NewReader(in)
	// SAFE: archive-unlimited
	io.CopyN(out, t, 1000)
	// SAFE: archive-unlimited
	io.Copy(out, in)
}

func body(w http.ResponseWriter, r *http.Request) {
	// VULN: body-unlimited
	io.ReadAll(r.Body)
}

func other(w http.ResponseWriter, req *http.Request) {
	// VULN: body-unlimited
	data, err := io.ReadAll(req.Body)
	_, _ = data, err
}

func limited(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1000)
	// SAFE: body-unlimited
	io.ReadAll(r.Body)
	// SAFE: body-unlimited
	io.ReadAll(io.LimitReader(r.Body, 10))
}

func names(db *sql.DB, table, name string) {
	// SAFE: sql-built
	db.Query("SELECT * FROM " + table)
	// SAFE: sql-built
	db.Query(fmt.Sprintf("SELECT * FROM %s WHERE a = ?", table), name)
}
