package dev.millrace.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the environment that options are read from. */
class FetchOptionsTest {
    private static final Path HOME = Path.of(System.getProperty("user.home"));

    private static FetchOptions options(Map<String, String> environment) {
        return new FetchOptions.Builder(environment).build();
    }

    @Test
    void anEmptyEnvironmentMeansUsualPlaces() {
        FetchOptions options = options(Map.of());
        assertThat(options.hubCache()).isEqualTo(HOME.resolve(".cache/huggingface/hub"));
        assertThat(options.folder()).isEqualTo(HOME.resolve(".cache/millrace/models"));
        assertThat(options.endpoint()).hasToString("https://huggingface.co");
        assertThat(options.token()).isNull();
        assertThat(options.offline()).isFalse();
    }

    @Test
    void theNearestVariableCounts() {
        assertThat(options(Map.of("XDG_CACHE_HOME", "/c")).hubCache()).isEqualTo(Path.of("/c/huggingface/hub"));
        assertThat(options(Map.of("XDG_CACHE_HOME", "/c", "HF_HOME", "~/h")).hubCache())
                .isEqualTo(HOME.resolve("h/hub"));
        assertThat(options(Map.of("HF_HOME", "/h", "HF_HUB_CACHE", "/cache")).hubCache())
                .isEqualTo(Path.of("/cache"));
        assertThat(options(Map.of("MILLRACE_CACHE", "/m")).folder()).isEqualTo(Path.of("/m"));
        assertThat(options(Map.of("HF_ENDPOINT", "https://hub.example/")).endpoint())
                .hasToString("https://hub.example");
        assertThat(options(Map.of("HF_TOKEN", " t\n")).token()).isEqualTo("t");
    }

    @ParameterizedTest
    @CsvSource({"1, true", "on, true", "Yes, true", "TRUE, true", "0, false", "'', false", "no, false"})
    void offlineIsASwitch(String value, boolean offline) {
        assertThat(options(Map.of("HF_HUB_OFFLINE", value)).offline()).isEqualTo(offline);
    }

    @Test
    void anEndpointIsAnAddress() {
        for (String wrong : new String[] {"hub", "ftp://hub", "https://", "ht tp"}) {
            assertThatThrownBy(() -> options(Map.of("HF_ENDPOINT", wrong)))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("endpoint");
        }
    }
}
