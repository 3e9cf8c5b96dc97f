package dev.millrace.bench.generate;

import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.session.generate.GeneratorOptions;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;

/** Several conversations in one engine, and turns that go on from the caches of earlier ones. */
final class Conversations implements AutoCloseable {
    private static final double NANOS = 1e9;
    private static final int PROMPT = 32;
    private static final int NEW_PART = 64;
    private static final int FIRST_WORD = 3;
    private static final int WORDS = 1000;
    private static final long PREFIX_BYTES = 1L << 31;

    private final Engine engine;
    private final Session session;
    private final Random random = new Random(7);

    Conversations(Path model, int threads) {
        engine = Engine.create(EngineOptions.builder().threads(threads).build());
        session = engine.session(model);
    }

    /**
     * Times of a turn.
     *
     * @param behindHistory the seconds until the first token of a prompt whose history an earlier turn has read
     * @param alone the seconds until the first token of the new part as a prompt of its own
     */
    record Turn(double behindHistory, double alone) {}

    private long[] words(int count) {
        return random.longs(count, FIRST_WORD, FIRST_WORD + WORDS).toArray();
    }

    private Generator generator(int maxBatch, long prefixBytes) {
        return Generator.of(
                session,
                DecoderSignature.of(session),
                GeneratorOptions.builder()
                        .maxBatch(maxBatch)
                        .prefixBytes(prefixBytes)
                        .build());
    }

    /** Returns the tokens per second of so many conversations together, once all of them have their first token. */
    double rate(int conversations, int tokens) {
        GenerationOptions options =
                GenerationOptions.builder().maxTokens(tokens).build();
        var begun = new AtomicInteger();
        var counted = new AtomicInteger();
        var start = new AtomicLong();
        try (Generator generator = generator(Math.max(1, conversations), 0)) {
            Flux.range(0, conversations)
                    .flatMap(
                            i -> generator.flux(words(PROMPT), options).doOnNext(token -> {
                                if (start.get() != 0) {
                                    counted.incrementAndGet();
                                } else if (token.index() == 0 && begun.incrementAndGet() == conversations) {
                                    start.set(System.nanoTime());
                                }
                            }),
                            conversations)
                    .blockLast();
        }
        return counted.get() * NANOS / (System.nanoTime() - start.get());
    }

    /** Measures a turn behind a history of so many tokens. */
    Turn turn(int history) {
        GenerationOptions one = GenerationOptions.builder().maxTokens(1).build();
        try (Generator generator = generator(1, PREFIX_BYTES)) {
            long[] first = words(history);
            generator.run(first, one);
            long[] alone = words(NEW_PART);
            long[] second = LongStream.concat(LongStream.of(first), LongStream.of(words(NEW_PART)))
                    .toArray();
            long start = System.nanoTime();
            generator.run(second, one);
            long middle = System.nanoTime();
            generator.run(alone, one);
            return new Turn((middle - start) / NANOS, (System.nanoTime() - middle) / NANOS);
        }
    }

    @Override
    public void close() {
        session.close();
        engine.close();
    }
}
