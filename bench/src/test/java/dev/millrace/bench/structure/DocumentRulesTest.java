package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that all Markdown pages of the repository follow: short lines, links that resolve, decisions in one form and in the index. */
class DocumentRulesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int LONGEST_LINE = 140;
    private static final int LONGEST_README = 110;
    private static final int MOST_ENTRIES = 150;

    /** A page that a command writes; its tables have no other lines. */
    private static final String GENERATED = "guide/operators.md";

    private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    /** A setting of an event that JFR's configurations do not have, without the plus by which JFR adds it. */
    private static final Pattern UNKNOWN_SETTING = Pattern.compile("StartFlightRecording\\S*[:,]dev\\.millrace\\.");

    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern DECISION = Pattern.compile("""
        (?s)# (\\d{4})\\. ([^\\n]+)

        Status: ([^\\n]+) · Date: (\\d{4}-\\d{2}-\\d{2}) · Area: ([a-z ]+)

        ## Context
        .+
        ## Decision
        .+
        ## Consequences
        .+
        ## Alternatives
        .+
        ## Undo it if
        .+\
        """);

    private static List<Path> pages() throws IOException {
        var pages = new ArrayList<Path>();
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve(".github"))) {
            int depth = folder.equals(ROOT) ? 1 : Integer.MAX_VALUE;
            try (Stream<Path> all = Files.walk(folder, depth)) {
                all.filter(each -> each.toString().endsWith(".md")).forEach(pages::add);
            }
        }
        return pages;
    }

    private static List<Path> decisions() throws IOException {
        try (Stream<Path> all = Files.list(ROOT.resolve("docs/decisions"))) {
            return all.filter(each -> each.getFileName().toString().matches("\\d{4}-.*\\.md"))
                    .sorted()
                    .toList();
        }
    }

    /** The lines of prose that are too long. Rows of tables, lines with an address, and lines that state a status are not prose. */
    private static List<String> longLines(Path page) throws IOException {
        var found = new ArrayList<String>();
        String[] lines = Files.readString(page).split("\n", -1);
        boolean isCode = false;
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i];
            isCode ^= line.startsWith("```");
            boolean isProse = !isCode
                    && !line.stripLeading().startsWith("|")
                    && !line.contains("http")
                    && !line.startsWith("Status: ");
            if (isProse && line.length() > LONGEST_LINE) {
                found.add(page + ":" + (i + 1));
            }
        }
        return found;
    }

    private static List<String> brokenLinks(Path page) throws IOException {
        var broken = new ArrayList<String>();
        Matcher links = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll(""));
        while (links.find()) {
            String link = links.group(1);
            if (!link.matches("(https?|mailto):.*") && !resolves(page, link)) {
                broken.add(page + " -> " + link);
            }
        }
        return broken;
    }

    private static boolean resolves(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || !target.toString().endsWith(".md")
                || anchors(target).contains(parts[1]);
    }

    private static List<String> anchors(Path page) throws IOException {
        String text = CODE.matcher(Files.readString(page)).replaceAll("");
        return HEADING.matcher(text)
                .results()
                .map(each -> each.group(1)
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void linesOfProseAreShort() throws IOException {
        var found = new ArrayList<String>();
        for (Path page : pages()) {
            if (!page.endsWith(GENERATED)) {
                found.addAll(longLines(page));
            }
        }
        assertThat(found).as("lines of more than %d characters", LONGEST_LINE).isEmpty();
    }

    @Test
    void settingsOfEventsAreThoseThatTheJvmTakes() throws IOException {
        for (Path page : pages()) {
            assertThat(Files.readString(page)).as(page.toString()).doesNotContainPattern(UNKNOWN_SETTING);
        }
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        var found = new ArrayList<String>();
        for (Path page : pages()) {
            found.addAll(brokenLinks(page));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void decisionsHaveOneForm() throws IOException {
        assertThat(decisions()).isNotEmpty().allSatisfy(each -> {
            Matcher form = DECISION.matcher(Files.readString(each));
            assertThat(form.matches()).as("%s has all sections", each).isTrue();
            assertThat(each.getFileName().toString()).startsWith(form.group(1) + "-");
        });
    }

    @Test
    void everyDecisionIsInTheIndexAsItIs() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/decisions/README.md"));
        for (Path each : decisions()) {
            Matcher form = DECISION.matcher(Files.readString(each));
            assertThat(form.matches()).as(each.toString()).isTrue();
            String status = form.group(3).replaceAll("\\[(\\d{4})]\\([^)]*\\)", "$1");
            assertThat(index)
                    .contains("| %s | [%s](%s) | %s | %s |"
                            .formatted(form.group(1), form.group(2), each.getFileName(), status, form.group(4)));
        }
        long rows =
                index.lines().filter(line -> line.matches("\\| \\d{4} \\|.*")).count();
        assertThat(rows).isEqualTo(decisions().size());
    }

    @Test
    void theReadmeAndEachReleaseOfTheChangelogAreShort() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(LONGEST_README);
        for (String release : Files.readString(ROOT.resolve("CHANGELOG.md")).split("(?m)^## ")) {
            assertThat(release.lines().count())
                    .as(release.lines().findFirst().orElse(""))
                    .isLessThanOrEqualTo(MOST_ENTRIES);
        }
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        for (String shelf : List.of("guide", "internals", "measurements")) {
            try (Stream<Path> all = Files.list(ROOT.resolve("docs").resolve(shelf))) {
                assertThat(all.map(each -> each.getFileName().toString())
                                .filter(name -> name.endsWith(".md") && !name.startsWith("kernel-tables")))
                        .allSatisfy(name -> assertThat(index).contains("(" + shelf + "/" + name + ")"));
            }
        }
    }

    @Test
    void violationsAreFound(@TempDir Path folder) throws IOException {
        Path page = folder.resolve("page.md");
        Files.writeString(
                page,
                "# A page\n\n" + "word ".repeat(LONGEST_LINE) + "\n\n[gone](gone.md) [none](#none) [here](#a-page)\n");
        assertThat(longLines(page)).containsExactly(page + ":3");
        assertThat(brokenLinks(page)).containsExactly(page + " -> gone.md", page + " -> #none");
        assertThat(DECISION.matcher("# 0001. Title\n\nStatus: accepted\n").matches())
                .isFalse();
    }
}
