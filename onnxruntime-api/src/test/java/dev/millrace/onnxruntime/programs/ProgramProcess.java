package dev.millrace.onnxruntime.programs;

import com.sun.management.OperatingSystemMXBean;
import dev.millrace.graph.EngineException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** The process of a program. It prints the answer, and what the process has used. */
final class ProgramProcess {
    static final String ANSWER = "answer";
    static final String FIRST = "first";
    static final String RUN = "run";
    static final String PEAK = "peak";
    static final String ABSENT = "absent";

    private ProgramProcess() {}

    /** @param arguments the name of a {@link KnownProgram}, and how often it answers after the first time */
    public static void main(String[] arguments) throws Exception {
        int runs = Integer.parseInt(arguments[1]);
        try (Program program = KnownProgram.valueOf(arguments[0]).make()) {
            float[] answer = program.answer();
            long first = processorNanos();
            for (int i = 0; i < runs / 2; i++) {
                program.answer();
            }
            long before = processorNanos();
            for (int i = runs / 2; i < runs; i++) {
                program.answer();
            }
            long after = processorNanos();
            var text = new StringBuilder(ANSWER);
            for (float number : answer) {
                text.append(' ').append(number);
            }
            System.out.println(text);
            System.out.println(FIRST + " " + first);
            System.out.println(RUN + " " + (after - before) / Math.max(1, runs - runs / 2));
            System.out.println(PEAK + " " + peakKib());
        } catch (EngineException e) {
            System.out.println(ABSENT + " " + e.getMessage());
        }
    }

    private static long processorNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Returns the peak of resident memory as Linux counts it; 0 on other systems. */
    private static long peakKib() throws Exception {
        Path status = Path.of("/proc/self/status");
        return Files.isReadable(status)
                ? Files.readString(status)
                        .lines()
                        .filter(line -> line.startsWith("VmHWM:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElse(0)
                : 0;
    }
}
