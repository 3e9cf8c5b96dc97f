package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.RootCommand;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The texts of help. */
class HelpTest {
    /** Our commands; the text of {@code help} is picocli's. */
    private static Stream<CommandLine> all(CommandLine line) {
        return line.getCommand() instanceof CommandLine.HelpCommand
                ? Stream.of()
                : Stream.concat(
                        Stream.of(line), line.getSubcommands().values().stream().flatMap(HelpTest::all));
    }

    /** A list of commands shows the first entry of each description, and help shows each on lines of its own. */
    @Test
    void eachEntryOfADescriptionIsMadeOfWholeSentences() {
        assertThat(all(RootCommand.line())).hasSizeGreaterThan(25).allSatisfy(line -> {
            String[] description = line.getCommandSpec().usageMessage().description();
            assertThat(description).as(line.getCommandSpec().qualifiedName()).isNotEmpty();
            assertThat(description).allSatisfy(entry -> assertThat(entry).matches("(?s)[A-Z'].*[.]"));
        });
    }
}
