# whowrote with everything it can do offline. Mount a clone at /clone, and a volume at /data for the databases:
#   docker build --tag whowrote .
#   docker run --rm --volume "$PWD:/clone:ro" --volume whowrote:/data whowrote repo
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.13-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
  && useradd --create-home --uid 1000 whowrote && install --directory --owner whowrote /data /clone
COPY --from=build /wheels /wheels
RUN wheel="$(ls /wheels/whowrote-*.whl)" \
  && pip install --no-cache-dir "${wheel}[scan,quality,browse,parquet,prices,stats,mcp,lsp]" && rm -rf /wheels
USER whowrote
ENV XDG_DATA_HOME=/data
VOLUME /data
WORKDIR /clone
EXPOSE 8001
ENTRYPOINT ["whowrote"]
CMD ["--help"]
