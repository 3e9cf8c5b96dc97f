package dev.millrace.bench.generate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.quantize.ModelQuantizer;
import dev.millrace.graph.quantize.QuantizeOptions;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.ProviderChoice;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.SessionReport;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** Tests that a decoder generates the same tokens here and in ONNX Runtime. */
@Tag("reference")
@Tag("slow")
class GenerationTest {
    private static final int TOKENS = 200;
    private static final GenerationOptions HOW =
            GenerationOptions.builder().maxTokens(TOKENS).build();
    private static final List<long[]> PROMPTS =
            List.of(new long[] {1, 50, 99, 7, 120, 33, 2}, new long[] {5}, new long[] {140, 139, 138}, longPrompt());
    /** Both engines compute in floats, and round to halves at different places. */
    private static final double OF_HALVES = 5e-3;
    /** The product with weights of 4 or 8 bits, which {@code simd} runs on activations and scales of 16 and 32 bits. */
    private static final String PRODUCT = "MatMulNBits";
    /** The property that names models of the reader's own, separated by commas. */
    private static final String GIVEN = "millrace.decoders";

    @TempDir
    private Path folder;

    /** Tokens from which on caches outgrow the room that they have at first. */
    private static long[] longPrompt() {
        return new Random(9).longs(120, 0, SmallDecoder.WORDS).toArray();
    }

    @ParameterizedTest
    @EnumSource(value = SmallDecoder.Form.class, names = ".*HALVES.*", mode = EnumSource.Mode.MATCH_NONE)
    void bothSayTheSameTokens(SmallDecoder.Form form) throws Exception {
        Path file = Files.write(folder.resolve(form + ".onnx"), SmallDecoder.bytes(form, 3));
        try (Engine engine = Engine.create(EngineOptions.builder().threads(2).build());
                Session session = engine.session(file, SessionOptions.defaults())) {
            DecoderSignature signature = DecoderSignature.of(session);
            int room = form == SmallDecoder.Form.GROUPS_WITH_ROOM ? SmallDecoder.POSITIONS : 0;
            assertThat(signature.contextLength()).isEqualTo(room);
            Generator generator = Generator.of(session, signature);
            List<long[]> together = requireNonNull(Flux.fromIterable(PROMPTS)
                    .flatMapSequential(prompt -> generator.mono(prompt, HOW))
                    .map(said -> said.ids())
                    .collectList()
                    .block());
            try (var reference = new ReferenceGenerator(file, session, signature)) {
                for (int i = 0; i < PROMPTS.size(); i++) {
                    long[] expected = reference.say(PROMPTS.get(i), TOKENS).tokens();
                    assertThat(generator.run(PROMPTS.get(i), HOW).ids()).containsExactly(expected);
                    assertThat(together.get(i)).containsExactly(expected);
                    assertThat(Arrays.stream(expected).distinct().count()).isGreaterThan(20);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = SmallDecoder.Form.class, names = ".*HALVES.*", mode = EnumSource.Mode.MATCH_ANY)
    void halves(SmallDecoder.Form form) throws Exception {
        Path file = Files.write(folder.resolve(form + ".onnx"), SmallDecoder.bytes(form, 3));
        assertSame(file, OF_HALVES, PROMPTS);
    }

    private static Stream<Arguments> quantised() {
        return Stream.of(SmallDecoder.Form.values())
                .flatMap(form -> Stream.of(
                        // exact weights: both multiply in floats
                        quantised(form, 4, 0, 1e-4),
                        quantised(form, 8, 0, 1e-4),
                        // activations are rounded to 8 bits, so that a difference of one step moves a logit
                        quantised(form, 4, 4, 2e-2)));
    }

    private static Arguments quantised(SmallDecoder.Form form, int bits, int accuracyLevel, double nearTie) {
        var options = QuantizeOptions.builder().bits(bits).accuracyLevel(accuracyLevel);
        return Arguments.of(form, options.build(), form.type() == ElementType.FLOAT ? nearTie : nearTie + OF_HALVES);
    }

    @ParameterizedTest
    @MethodSource
    void quantised(SmallDecoder.Form form, QuantizeOptions options, double nearTie) throws Exception {
        Path file = folder.resolve("quantised.onnx");
        var plain = Models.read(MemorySegment.ofArray(SmallDecoder.bytes(form, 3)), null);
        ModelQuantizer.Quantized quantised =
                ModelQuantizer.of(options.toBuilder().minElements(1).build()).quantize(plain);
        assertThat(quantised.report().weights()).hasSizeGreaterThan(10);
        Models.write(quantised.model(), file, WriteOptions.inline());
        try (Engine engine = Engine.create();
                Session session = engine.session(file, SessionOptions.defaults())) {
            assertThat(providersOf(PRODUCT, session)).containsExactly("simd");
            for (String operator : form.operators()) {
                assertThat(providersOf(operator, session)).as(operator).containsExactly("simd");
            }
        }
        String name = form + " " + options.bits() + " " + options.accuracyLevel();
        assertSame(file, nearTie, TestScale.has(name) ? PROMPTS : PROMPTS.subList(0, 1));
    }

    /** Compares the tokens up to the first that differs, where the reference's two best logits are nearly equal. */
    private static void assertSame(Path file, double nearTie, List<long[]> prompts) throws Exception {
        for (String provider : List.of("simd", "cpu")) {
            SessionOptions options = provider.equals("cpu")
                    ? SessionOptions.builder()
                            .providers(List.of(ProviderChoice.of("cpu")))
                            .build()
                    : SessionOptions.defaults();
            try (Engine engine =
                            Engine.create(EngineOptions.builder().threads(2).build());
                    Session session = engine.session(file, options)) {
                DecoderSignature signature = DecoderSignature.of(session);
                Generator generator = Generator.of(session, signature);
                try (var reference = new ReferenceGenerator(file, session, signature)) {
                    for (long[] prompt : prompts) {
                        ReferenceGenerator.Said expected = reference.say(prompt, TOKENS);
                        long[] said = generator.run(prompt, HOW).ids();
                        int parts = Arrays.mismatch(said, expected.tokens());
                        if (parts >= 0) {
                            System.out.printf(
                                    "%s on %s: the tokens part after %d, where the two best are %.2g apart%n",
                                    file.getFileName(), provider, parts, expected.leads()[parts]);
                            assertThat(expected.leads()[parts])
                                    .as("%s: the two best where token %s parts", provider, parts)
                                    .isLessThan(nearTie);
                        }
                    }
                }
            }
        }
    }

    /** Returns the providers that run an operator. */
    private static List<String> providersOf(String operator, Session session) {
        return session.report().partitions().stream()
                .filter(partition -> partition.operators().keySet().stream().anyMatch(name -> name.endsWith(operator)))
                .map(SessionReport.PartitionInfo::provider)
                .distinct()
                .toList();
    }

    /** Compares decoders that exporters have written: {@code -Dmillrace.decoders=a.onnx,b.onnx}. */
    @Test
    @EnabledIfSystemProperty(
            named = GIVEN,
            matches = ".+",
            disabledReason = "no decoders are named by the property " + GIVEN)
    void decodersOfOthers() throws Exception {
        for (String file : System.getProperty(GIVEN).split(",")) {
            assertSame(Path.of(file), 1e-3, List.of(new long[] {1, 50, 99, 7, 120, 33, 2}, new long[] {5}));
        }
    }
}
