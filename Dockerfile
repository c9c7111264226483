# whowrote with everything it can do offline. Mount a clone at /clone, and a volume at /data for the databases:
#   docker build --tag whowrote .
#   docker run --rm --volume "$PWD:/clone:ro" --volume whowrote:/data whowrote repo
# Both stages name the image by its digest, so that a build tomorrow is the build of today; docker buildx imagetools inspect has newer ones.
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
  && useradd --create-home --uid 1000 whowrote && install --directory --owner whowrote /data /clone
COPY --from=build /wheels /src/requirements.lock /wheels/
RUN pip install --no-cache-dir --require-hashes --requirement /wheels/requirements.lock \
  && pip install --no-cache-dir --no-deps /wheels/whowrote-*.whl && rm -rf /wheels
USER whowrote
ENV XDG_DATA_HOME=/data
VOLUME /data
WORKDIR /clone
EXPOSE 8001
ENTRYPOINT ["whowrote"]
CMD ["--help"]
