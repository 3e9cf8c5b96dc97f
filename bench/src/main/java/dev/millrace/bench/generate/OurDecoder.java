package dev.millrace.bench.generate;

import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.Generation;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import java.nio.file.Path;

/** Millrace's generator. */
final class OurDecoder implements TimedDecoder {
    private static final double NANOS = 1e9;

    private final Engine engine;
    private final Session session;
    private final Generator generator;

    OurDecoder(Path model, int threads, int context) {
        engine = Engine.create(EngineOptions.builder().threads(threads).build());
        session = engine.session(model);
        DecoderSignature.Builder signature = DecoderSignature.builder(session);
        generator = Generator.of(session, (context > 0 ? signature.contextLength(context) : signature).build());
    }

    @Override
    public DecodeTimes generate(long[] prompt, int tokens) {
        long[] first = new long[1];
        long start = System.nanoTime();
        Generation all = generator.run(
                prompt, GenerationOptions.builder().maxTokens(tokens).build(), token -> {
                    if (token.index() == 0) {
                        first[0] = System.nanoTime();
                    }
                    return true;
                });
        long end = System.nanoTime();
        return new DecodeTimes((first[0] - start) / NANOS, (end - first[0]) / NANOS, all.ids());
    }

    @Override
    public void close() {
        session.close();
        engine.close();
    }
}
