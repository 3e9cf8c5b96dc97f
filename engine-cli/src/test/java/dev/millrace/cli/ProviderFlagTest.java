package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.session.ProviderChoice;
import dev.millrace.session.SessionOptions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ProviderFlagTest {
    @Command
    private static final class Asked {
        @Mixin
        private final ProviderFlag providers = new ProviderFlag();
    }

    private static List<ProviderChoice> choices(String... arguments) {
        var asked = new Asked();
        new CommandLine(asked).parseArgs(arguments);
        var options = SessionOptions.builder();
        asked.providers.addTo(options);
        return options.build().providers();
    }

    @Test
    void providersAreAskedInTheOrderInWhichTheyAreGiven() {
        assertThat(choices()).isEmpty();
        assertThat(choices("--provider", "simd,cpu"))
                .containsExactly(ProviderChoice.of("simd"), ProviderChoice.of("cpu"));
    }

    @Test
    void optionsFollowAName() {
        assertThat(choices("--provider=simd:tune=true:portable=false,cpu"))
                .containsExactly(
                        new ProviderChoice("simd", Map.of("tune", "true", "portable", "false")),
                        ProviderChoice.of("cpu"));
        assertThat(choices("--provider=other:path=a=b,cpu").getFirst().options())
                .as("a value may hold what parts them")
                .isEqualTo(Map.of("path", "a=b"));
    }

    @Test
    void whatIsNoOptionIsNamed() {
        assertThatThrownBy(() -> choices("--provider", "simd:tune"))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("simd:tune", "KEY=VALUE", "'tune'");
        assertThatThrownBy(() -> choices("--provider", "simd:=true")).isInstanceOf(UsageException.class);
    }
}
