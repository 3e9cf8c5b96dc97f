package dev.millrace.bench.generate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** Tests that a decoder generates the same tokens here and in ONNX Runtime. */
@Tag("reference")
class GenerationTest {
    private static final int TOKENS = 200;
    private static final GenerationOptions HOW =
            GenerationOptions.builder().maxTokens(TOKENS).build();
    private static final List<long[]> PROMPTS =
            List.of(new long[] {1, 50, 99, 7, 120, 33, 2}, new long[] {5}, new long[] {140, 139, 138}, longPrompt());

    @TempDir
    private Path folder;

    /** Tokens from which on caches outgrow the room that they have at first. */
    private static long[] longPrompt() {
        return new Random(9).longs(120, 0, SmallDecoder.WORDS).toArray();
    }

    @ParameterizedTest
    @EnumSource(SmallDecoder.Form.class)
    void bothSayTheSameToken(SmallDecoder.Form form) throws Exception {
        Path file = Files.write(folder.resolve(form + ".onnx"), SmallDecoder.bytes(form, 3));
        boolean isPlain = form == SmallDecoder.Form.PLAIN;
        long room = form == SmallDecoder.Form.GROUPS_WITH_ROOM ? SmallDecoder.POSITIONS : 0;
        try (Engine engine = Engine.create(EngineOptions.builder().threads(2).build());
                Session session = engine.session(file, SessionOptions.defaults())) {
            Generator generator = Generator.of(session);
            assertThat(generator.signature().contextLength()).isEqualTo(room);
            List<long[]> together = requireNonNull(Flux.fromIterable(PROMPTS)
                    .flatMapSequential(prompt -> generator.mono(prompt, HOW))
                    .map(said -> said.ids())
                    .collectList()
                    .block());
            for (int i = 0; i < PROMPTS.size(); i++) {
                long[] peer = PeerGenerator.tokens(file, isPlain, room, PROMPTS.get(i), TOKENS);
                assertThat(generator.run(PROMPTS.get(i), HOW).ids()).containsExactly(peer);
                assertThat(together.get(i)).containsExactly(peer);
                assertThat(Arrays.stream(peer).distinct().count()).isGreaterThan(20);
            }
        }
    }
}
