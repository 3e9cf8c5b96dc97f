package dev.millrace.bench.generate;

/** A side that generates the likeliest tokens behind a prompt. */
interface TimedDecoder extends AutoCloseable {
    DecodeTimes generate(long[] prompt, int tokens) throws Exception;

    @Override
    void close() throws Exception;
}
