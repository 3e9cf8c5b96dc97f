package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Tests which subcommands are described. */
class RootCommandTest {
    private static Map<String, CommandLine> subcommands() {
        return RootCommand.line().getSubcommands();
    }

    @Test
    void aSubcommandHasTheNameOfItsClass() {
        assertThat(subcommands()).hasSizeGreaterThan(16).allSatisfy((name, line) -> {
            Command described = line.getCommand().getClass().getAnnotation(Command.class);
            assertThat(described.name()).isEqualTo(name);
        });
    }

    @Test
    void aSubcommandThatIsNamedStandsAloneAndHasTheSameHelp() {
        CommandLine line = RootCommand.lineFor("run", "model.onnx");
        assertThat(line.getSubcommands()).containsOnlyKeys("run");
        assertThat(usage(line)).isEqualTo(usage(RootCommand.line()));
    }

    private static String usage(CommandLine line) {
        return Objects.requireNonNull(line.getSubcommands().get("run")).getUsageMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--help", "help", "rum", "@run"})
    void otherLinesHaveAllSubcommands(String argument) {
        assertThat(RootCommand.lineFor(argument).getSubcommands())
                .containsOnlyKeys(subcommands().keySet());
        assertThat(RootCommand.lineFor().getSubcommands())
                .containsOnlyKeys(subcommands().keySet());
    }
}
