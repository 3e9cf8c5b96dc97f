package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.spi.WeightlessMode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options by their strings. */
class ConfigKeyTest {
    private static void assertRefused(Status status, Runnable act, String... parts) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @CsvSource({
        "ep.context_enable, 0, 1",
        "ep.context_file_path, '', some/net_ctx.onnx",
        "ep.context_embed_mode, 0, 1",
        "ep.context_node_name_prefix, '', p_",
        "ep.context_model_external_initializers_file_name, '', net.data",
        "ep.share_ep_contexts, 0, 1",
        "ep.stop_share_ep_contexts, 0, 1",
        "session.model_external_initializers_file_folder_path, '', some",
        "session.disable_model_compile, 0, 1",
        "session.disable_cpu_ep_fallback, 0, 1",
        "session.fail_on_suboptimal_compiled_model, 0, 1",
    })
    @Rows(76)
    void everyOptionIsAbsentByDefaultAndComesBackAsItWasSet(String key, String byDefault, String value) {
        assertThat(SessionOptions.defaults().config(key)).isEqualTo(byDefault);
        var set = SessionOptions.builder().config(key, value).build();
        assertThat(set.config(key)).isEqualTo(value);
        assertThat(set.toBuilder().config(key, byDefault).build().config(key)).isEqualTo(byDefault);
    }

    @Test
    void stringsSetTheTypedOptions() {
        var context = SessionOptions.builder()
                .config("ep.context_enable", "1")
                .config("ep.context_file_path", "a/b_ctx.onnx")
                .config("ep.context_embed_mode", "1")
                .config("ep.context_node_name_prefix", "p")
                .build()
                .epContext();
        assertThat(context)
                .isEqualTo(EpContextOptions.builder()
                        .enable(true)
                        .filePath(Path.of("a/b_ctx.onnx"))
                        .embedMode(1)
                        .nodeNamePrefix("p")
                        .build());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "true", "01", " 1", "-1"})
    void aFlagIsZeroOrOne(String value) {
        for (String key : List.of(
                "ep.context_enable",
                "ep.context_embed_mode",
                "ep.share_ep_contexts",
                "session.disable_model_compile",
                "session.fail_on_suboptimal_compiled_model")) {
            assertRefused(
                    Status.INVALID_ARGUMENT, () -> SessionOptions.builder().config(key, value), key, "'" + value + "'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", "0x2", "-1", "ALL"})
    void weightsAreLeftOutByAModeFromZeroToTwo(String value) {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> SessionOptions.builder().config("ep.enable_weightless_mode", value),
                "ep.enable_weightless_mode");
    }

    @Test
    void aModeOfWeightsComesBackAsItWasSpelled() {
        assertThat(SessionOptions.defaults().config("ep.enable_weightless_mode"))
                .isEqualTo("0");
        for (WeightlessMode mode : WeightlessMode.values()) {
            SessionOptions options = SessionOptions.builder()
                    .config("ep.enable_weightless_mode", mode.code())
                    .build();
            assertThat(options.config("ep.enable_weightless_mode")).isEqualTo(mode.code());
            assertThat(options.epContext().weightless()).isEqualTo(mode);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"out/", "net_ctx.onnx/", "out\\"})
    void aPathThatEndsLikeAFoldersIsNoFile(String path) {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> SessionOptions.builder().config("ep.context_file_path", path),
                "should not point to a folder");
    }

    @Test
    void anOptionThatThereIsNotIsRefusedWithThoseThatThereAre() {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> SessionOptions.builder().config("ep.context_enabel", "1"),
                "'ep.context_enabel'",
                "ep.context_enable");
        assertRefused(Status.INVALID_ARGUMENT, () -> SessionOptions.defaults().config("nothing"), "'nothing'");
    }

    @Test
    void allKeysAreListed() {
        assertThat(SessionOptions.configKeys())
                .contains("ep.context_enable", "session.disable_cpu_ep_fallback")
                .doesNotContain("threads")
                .allSatisfy(
                        key -> assertThat(SessionOptions.defaults().config(key)).isNotNull());
    }
}
