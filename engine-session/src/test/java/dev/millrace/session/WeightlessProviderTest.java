package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.providers.spi.WeightlessSupport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of providers' support for weightless context binaries against what is requested: rows 91 to 93. */
class WeightlessProviderTest {
    @TempDir
    private Path folder = Path.of("");

    private final FakeFactory fake = new FakeFactory();
    private Engine engine = Engine.create();
    private Path source = Path.of("");

    @BeforeEach
    void open() throws IOException {
        engine.close();
        engine = TestEngines.with(fake);
        source = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(1, 4, 1));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private static SessionOptions.Builder options(String mode, String... providers) {
        SessionOptions.Builder options = SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build())
                .config("ep.enable_weightless_mode", mode);
        for (String provider : providers) {
            options.provider(provider);
        }
        return options;
    }

    private List<String> generate(String mode, String... providers) {
        SessionOptions.Builder options = options(mode, providers).config("ep.context_enable", "1");
        try (Session session = engine.session(source, options.build())) {
            return session.report().notes();
        }
    }

    private void assertRefused(Status status, String mode, String... parts) {
        assertThatThrownBy(() -> generate(mode, FakeFactory.NAME, "cpu"))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
        assertThat(folder.resolve("net_ctx.onnx")).doesNotExist();
    }

    @Test
    @Rows(91)
    void whatDevicesTellIsComparedBeforeThereIsAProvider() {
        fake.saidOfWeights = "external_only";
        fake.doneWithoutWeights = WeightlessSupport.ALL_OR_EXTERNAL_ONLY;
        assertRefused(Status.EP_FAIL, "2", "'fake'", "mode 2", "'external_only'");
        assertThat(fake.created).isZero();

        fake.saidOfWeights = "everything";
        assertRefused(Status.EP_FAIL, "1", "'everything'");
    }

    @Test
    @Rows(91)
    void somebodyHasToTellOfIt() {
        assertRefused(Status.EP_FAIL, "1", "none of the providers");
    }

    @Test
    @Rows(92)
    void aProviderThatDoesNotImplementWhatItsDevicesTellIsRefused() {
        fake.saidOfWeights = "all";
        assertRefused(Status.NOT_IMPLEMENTED, "2", "does not implement", "'fake'");
    }

    @Test
    @Rows(92)
    void aProviderThatTellsNothingCompilesNothing() {
        assertThatThrownBy(() -> generate("2", FakeFactory.NAME, "simd", "cpu"))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_IMPLEMENTED))
                .hasMessageContaining("'fake'");

        fake.operator = "Nothing";
        generate("2", FakeFactory.NAME, "simd", "cpu");
        assertThat(folder.resolve("net_ctx.onnx")).exists();
    }

    @Test
    @Rows(93)
    void aMismatchIsANoteAndStandsInTheErrorWhereTheModeIsRefused() {
        fake.saidOfWeights = "all_or_external_only";
        fake.doneWithoutWeights = WeightlessSupport.ALL;
        assertThat(generate("2", FakeFactory.NAME, "cpu"))
                .anyMatch(note -> note.contains("'all_or_external_only'") && note.contains("'all'"));
        folder.resolve("net_ctx.onnx").toFile().delete();
        assertRefused(Status.EP_FAIL, "1", "'all_or_external_only'", "'all'");
    }

    @Test
    @Rows(92)
    void aProviderOfAnotherModeIsRefusedAsOneThatFails() {
        fake.saidOfWeights = "external_only";
        fake.doneWithoutWeights = WeightlessSupport.ALL;
        assertRefused(Status.EP_FAIL, "1", "'fake'", "supports 'all'", "mode 1");
    }

    @Test
    @Rows(91)
    void devicesMayTellOfItByTheOlderKey() {
        fake.keyOfWeights = "weightless_support";
        fake.saidOfWeights = "external_only";
        fake.doneWithoutWeights = WeightlessSupport.EXTERNAL_ONLY;
        assertRefused(Status.EP_FAIL, "2", "'external_only'");
        assertThat(fake.created).isZero();
        generate("1", FakeFactory.NAME, "cpu");
        assertThat(folder.resolve("net_ctx.onnx")).exists();
    }

    @Test
    void nobodyIsAskedWhereNothingIsWritten() {
        engine.session(source, options("2", FakeFactory.NAME, "cpu").build()).close();
        assertThat(fake.created).isOne();
    }
}
