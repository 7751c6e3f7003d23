# radcap and the models it ships, for a CPU. `make docker` builds it; docs/how-to/install.md says how to use it.

FROM python:3.11-slim AS wheel
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN make dist

FROM python:3.11-slim
# What is installed beside the base, and where pip looks besides its index: the CPU builds of torch are much smaller.
ARG EXTRAS=read,dicom,vocabulary
ARG PIP_EXTRA_INDEX_URL=""
# The shell expands the one wheel that is there; nothing of the build stays in the image.
RUN --mount=type=bind,from=wheel,source=/source,target=/source \
    python -m pip install --no-cache-dir --constraint /source/constraints.txt \
    "$(echo /source/dist/radcap-*.whl)[${EXTRAS}]"
# Nobody needs rights here: a user without any, who owns the cache and nothing else.
RUN useradd --create-home --uid 1000 reader \
    && install --directory --owner=1000 /work /home/reader/.cache/radcap
USER 1000
ENV RADCAP_CACHE=/home/reader/.cache/radcap
WORKDIR /work
ENTRYPOINT ["radcap"]
CMD ["--help"]
