package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Tests that the page of the command lists the flags of each command. */
class GuideFlagsTest {
    private static final Path PAGE = Path.of("../docs/guide/command.md");

    /** Flags that each command has, and a second name of {@code --option}. */
    private static final Set<String> ELSEWHERE = Set.of("--help", "--version", "--config");

    private static Stream<String> commands() {
        return RootCommand.line().getSubcommands().keySet().stream()
                .filter(name -> !name.equals("help"))
                .sorted();
    }

    private static String section(String page, String heading) {
        Matcher section = Pattern.compile("^## " + heading + "$(.*?)(?=^## |\\z)", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(page);
        return section.find() ? section.group(1) : "";
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theFlagsOfACommandAreOnThePage(String name) throws IOException {
        String page = Files.readString(PAGE);
        String text = section(page, name)
                + section(page, "Flags of sessions")
                + (name.equals("chat") ? section(page, "generate") : "");
        CommandLine command =
                Objects.requireNonNull(RootCommand.line().getSubcommands().get(name));
        assertThat(command.getCommandSpec().options().stream()
                        .filter(option -> !option.hidden())
                        .map(OptionSpec::names)
                        .map(names -> Stream.of(names)
                                .max(Comparator.comparingInt(String::length))
                                .orElseThrow())
                        .filter(flag -> !ELSEWHERE.contains(flag))
                        .filter(flag -> !Pattern.compile(flag + "(?![a-z-])")
                                .matcher(text)
                                .find()))
                .isEmpty();
    }

    @Test
    void thereAreCommands() {
        assertThat(commands()).contains("run", "generate", "serve");
    }
}
