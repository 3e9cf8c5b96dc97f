package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that {@code build-tools/ApiDump.java} lists what users can call, and refuses a page that says something else. */
class ApiDumpTest {
    private static final String EXPECTED = """
        interface open.Kinds
            abstract name(): String
            final static NAME: String
            size(): int

        enum open.Kinds$Colour
            final static BLUE: open.Kinds$Colour
            final static RED: open.Kinds$Colour
            static valueOf(String): open.Kinds$Colour
            static values(): open.Kinds$Colour[]
            text(): String

        annotation open.Kinds$Marked : java.lang.annotation.Annotation
            abstract value(): int

        record open.Kinds$Pair : open.Kinds
            <init>(int, String): void
            final equals(Object): boolean
            final hashCode(): int
            final toString(): String
            first(): int
            name(): String
            second(): String

        final class open.Kinds$Wrong : IllegalStateException
            <init>(Throwable): void

        abstract class open.Shape : java.io.Closeable, Comparable
            abstract area(): double
            close(): void
            compareTo(open.Shape): int
            final protected corners: java.util.List
            final protected first(): Comparable
            final static LARGEST: int
            protected <init>(java.util.List): void
            static all(int, String[]): open.Shape[][]

        class open.Shape$Builder
            <init>(): void
            build(): open.Shape

        class open.Shape$Extended
            extend(): void
            protected <init>(): void

        final class more.Further
            static name(): String

        """;

    private static Path classes;

    @TempDir
    private Path folder;

    @BeforeAll
    static void compile(@TempDir Path root) throws IOException {
        classes = SampleClasses.compile("api", root).folder();
    }

    /** Runs the tool as the build does, and returns what it prints. */
    private static String dump(String mode, Path page, int expected) throws IOException, InterruptedException {
        Process process = new OwnJvm("../build-tools/ApiDump.java", mode, page, classes, "open,more")
                .options("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dstderr.encoding=UTF-8")
                .builder()
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(expected);
        return output;
    }

    @Test
    void aPageListsExactlyThePublicApiAndAgreesWithItsClasses() throws IOException, InterruptedException {
        Path page = folder.resolve("docs/api/open.txt");
        assertThat(dump("write", page, 0)).isEmpty();
        assertThat(Files.readString(page)).isEqualTo(EXPECTED);
        assertThat(dump("check", page, 0)).isEmpty();
    }

    @Test
    void anotherPageIsRefusedWithTheDifferencesAndWhatToDo() throws IOException, InterruptedException {
        Path page = folder.resolve("open.txt");
        String other = EXPECTED.replace("    size(): int\n", "    size(): long\n")
                .replace("    static name(): String\n", "    static name(): String\n    name(): String\n");
        Files.writeString(page, other);
        assertThat(dump("check", page, 1).lines())
                .containsExactly(
                        "gone: interface open.Kinds …    size(): long",
                        "gone: final class more.Further …    name(): String",
                        "new: interface open.Kinds …    size(): int",
                        "What users can call is not what " + page
                                + " says. Where that is meant, write it again:"
                                + " mvn -q -DskipTests package -Dapi.mode=write");
        assertThat(page).hasContent(other);
    }

    @Test
    void withoutAPageAllIsNew() throws IOException, InterruptedException {
        assertThat(dump("check", folder.resolve("none.txt"), 1))
                .contains(
                        "new: final class more.Further\nnew: final class more.Further …    static name",
                        "-Dapi.mode=write")
                .doesNotContain("gone");
    }
}
