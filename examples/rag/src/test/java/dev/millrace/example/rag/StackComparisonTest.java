package dev.millrace.example.rag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that all stacks find the same passages, and those that answer the questions. */
class StackComparisonTest {
    private static final int PASSAGES = 100;
    private static final int QUESTIONS = 20;
    /** Options for processes that end soon. */
    private static final List<String> BRIEF = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static boolean hasNativeLibraries() {
        return System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
    }

    @Test
    void allStacksFindThePassagesThatAnswer(@TempDir Path folder) throws Exception {
        assumeTrue(hasNativeLibraries(), "the native libraries are for other systems, or not tried there");
        MiniLmFiles.write(folder);
        var comparison = new StackComparison(System.getProperty("java.class.path"), folder, BRIEF);
        var found = new EnumMap<Stack, List<String>>(Stack.class);
        for (Stack stack : comparison.stacks()) {
            Map<String, String> lines = comparison.run(stack, PASSAGES, QUESTIONS);
            found.put(
                    stack,
                    Arrays.asList(Objects.requireNonNull(lines.get("found")).split(" ")));
        }
        assertThat(found).containsKeys(Stack.LANGCHAIN4J_STOCK, Stack.SPRING_AI_MILLRACE);
        List<String> expected = Objects.requireNonNull(found.get(Stack.LANGCHAIN4J_STOCK));
        assertThat(found).allSatisfy((stack, each) -> assertThat(each).isEqualTo(expected));
        long answered = IntStream.range(0, QUESTIONS)
                .filter(i -> expected.subList(3 * i, 3 * i + 3).contains(String.valueOf(i * PASSAGES / QUESTIONS)))
                .count();
        assertThat(answered).isGreaterThanOrEqualTo(QUESTIONS * 4L / 5);
    }
}
