package dev.millrace.onnxruntime.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.onnxruntime.OrtEnvironment;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.BufferedReader;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs programs over both jars, unchanged but for the class path, and compares their answers. With {@code -Dprograms.runs=N} it prints what
 * both sides use, the mean of {@code -Dprograms.turns=N} processes in turns.
 */
@Tag("reference")
@Tag("slow")
class ProgramsIT {
    private static final int RUNS = Integer.getInteger("programs.runs", 0);
    private static final int TURNS = Integer.getInteger("programs.turns", 1);
    /** The options of the JVM: processes that are not measured end soon. */
    private static final String[] OPTIONS =
            RUNS > 0 ? new String[0] : new String[] {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"};
    /** The cosine that vectors of quantised models have at least: the guide has those of ONNX Runtime's own levels. */
    private static final double COSINE = 0.985;

    /** A process of one side. */
    private record Side(Process process) {
        static Side start(KnownProgram program, String classPath) throws Exception {
            ProcessBuilder builder = new OwnJvm(ProgramProcess.class, program.name(), RUNS)
                    .options(OPTIONS)
                    .builder();
            builder.environment().put("CLASSPATH", classPath);
            return new Side(
                    builder.redirectError(ProcessBuilder.Redirect.DISCARD).start());
        }

        /** Waits for the end of the process, and returns its lines by their first words. */
        Map<String, String> lines() throws Exception {
            var lines = new HashMap<String, String>();
            try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    String[] words = line.split(" ", 2);
                    if (words.length == 2) {
                        lines.put(words[0], words[1]);
                    }
                }
            }
            assertThat(process.waitFor()).as("exit code").isZero();
            String absent = lines.get(ProgramProcess.ABSENT);
            return absent == null ? lines : abort("a model cannot be fetched here: " + absent);
        }
    }

    private static String ours() {
        return System.getProperty("java.class.path");
    }

    /** Returns the class path with ONNX Runtime's jar in place of this module's classes. */
    private static String theirs() throws Exception {
        Path own = Path.of(OrtEnvironment.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return Arrays.stream(ours().split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().equals(own.toAbsolutePath())
                        ? System.getProperty("onnxruntime.jar")
                        : entry)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static float[] numbers(Map<String, String> lines) {
        String[] words =
                Objects.requireNonNull(lines.get(ProgramProcess.ANSWER)).split(" ");
        float[] numbers = new float[words.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Float.parseFloat(words[i]);
        }
        return numbers;
    }

    private static double cosine(float[] a, float[] b) {
        double product = 0;
        double ofA = 0;
        double ofB = 0;
        for (int i = 0; i < a.length; i++) {
            product += (double) a[i] * b[i];
            ofA += (double) a[i] * a[i];
            ofB += (double) b[i] * b[i];
        }
        return product / Math.sqrt(ofA * ofB);
    }

    @ParameterizedTest
    @EnumSource
    void answersAreThoseOfOnnxRuntime(KnownProgram program) throws Exception {
        assumeTrue(program != KnownProgram.OCR || Samples.hasFonts(), "there are no fonts to draw a page with");
        double[] sums = new double[6];
        for (int turn = 0; turn < TURNS; turn++) {
            Side first = Side.start(program, ours());
            if (RUNS > 0) {
                first.process().waitFor();
            }
            Side second = Side.start(program, theirs());
            Map<String, String> found = first.lines();
            Map<String, String> expected = second.lines();
            if (program.isExact()) {
                assertThat(numbers(found)).containsExactly(numbers(expected), within(1e-4f));
            } else {
                assertThat(numbers(found)).hasSameSizeAs(numbers(expected));
                assertThat(cosine(numbers(found), numbers(expected))).isGreaterThan(COSINE);
            }
            int at = 0;
            for (String name : new String[] {ProgramProcess.FIRST, ProgramProcess.RUN, ProgramProcess.PEAK}) {
                sums[at++] += Double.parseDouble(Objects.requireNonNull(found.get(name))) / TURNS;
                sums[at++] += Double.parseDouble(Objects.requireNonNull(expected.get(name))) / TURNS;
            }
        }
        if (RUNS > 0) {
            System.out.printf(
                    "| %s | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f |%n",
                    program.title(),
                    sums[0] / 1e9,
                    sums[1] / 1e9,
                    sums[2] / 1e6,
                    sums[3] / 1e6,
                    sums[4] / 1024,
                    sums[5] / 1024);
        }
    }
}
