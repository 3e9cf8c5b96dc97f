package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.device.ThreadedFactory;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** Tests generation by a model that a device runs, whose caches stay there. */
@Timeout(60)
class DeviceGenerationTest {
    private static final long[] PROMPT = {3, 1, 4, 1, 5};

    private static GenerationOptions tokens(int count) {
        return GenerationOptions.builder().maxTokens(count).build();
    }

    private static SessionOptions options(String... providers) {
        var options = SessionOptions.builder();
        for (String provider : providers) {
            options.provider(provider);
        }
        return options.build();
    }

    @ParameterizedTest
    @EnumSource
    void tokensAreThoseOfTheHostAndCachesStay(SmallDecoderModel.Form form) {
        byte[] model = SmallDecoderModel.bytes(form, 7);
        var device = new ThreadedFactory("one", 0);
        try (Engine engine = Engine.create(EngineOptions.builder()
                        .threads(2)
                        .providers(List.of(device))
                        .build());
                Session onHost = engine.session(model, options("cpu"));
                Session session = engine.session(model, options("one", "cpu"))) {
            assertThat(session.devices()).isNotEmpty();
            List<Long> expected = List.copyOf(ids(Generator.of(onHost), 24));
            Generator generator = Generator.of(session);
            assertThat(ids(generator, 24)).isEqualTo(expected);
            int few = copies(device, () -> ids(generator, 8));
            int many = copies(device, () -> ids(generator, 24));
            // of each token its word, its mask and two numbers that follow from their shapes go up, and the logits come
            // down
            assertThat(many - few).isLessThanOrEqualTo(16 * 5);
            assertThat(together(generator)).allSatisfy(ids -> assertThat(ids).isEqualTo(expected));
        }
        assertThat(device.device().usedBytes()).isZero();
        assertThat(device.device().openStreams()).isZero();
    }

    private static List<List<Long>> together(Generator generator) {
        var texts = new ArrayList<Flux<List<Long>>>();
        for (int i = 0; i < 8; i++) {
            texts.add(generator
                    .flux(PROMPT, tokens(24))
                    .map(Token::id)
                    .collectList()
                    .flux());
        }
        return Objects.requireNonNull(
                Flux.merge(Flux.fromIterable(texts), 8).collectList().block());
    }

    private static List<Long> ids(Generator generator, int count) {
        var ids = new ArrayList<Long>();
        for (long id : generator.run(PROMPT, tokens(count)).ids()) {
            ids.add(id);
        }
        return ids;
    }

    private static int copies(ThreadedFactory factory, Runnable work) {
        int before = factory.device().hostCopies();
        work.run();
        return factory.device().hostCopies() - before;
    }
}
