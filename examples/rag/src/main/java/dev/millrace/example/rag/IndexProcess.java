package dev.millrace.example.rag;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The process of a stack: it indexes passages, asks questions, and prints how long it took. */
final class IndexProcess {
    private static final int NEAREST = 3;
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private IndexProcess() {}

    /** @param arguments the name of the {@link Stack}, the folder of the model, and the numbers of passages and questions */
    public static void main(String[] arguments) throws Exception {
        List<String> passages = Passages.of(Integer.parseInt(arguments[2]));
        int questions = Integer.parseInt(arguments[3]);
        PassageIndex index = Stack.valueOf(arguments[0]).open(Path.of(arguments[1]));
        index.add(passages.subList(0, 1));
        long started = System.currentTimeMillis()
                - ManagementFactory.getRuntimeMXBean().getStartTime();
        long cpu = SYSTEM.getProcessCpuTime();
        long begin = System.nanoTime();
        index.add(passages.subList(1, passages.size()));
        long indexed = System.nanoTime() - begin;
        long cpuOfIndex = SYSTEM.getProcessCpuTime() - cpu;
        long[] times = new long[questions];
        var found = new StringBuilder("found");
        for (int i = 0; i < questions; i++) {
            int about = (int) ((long) i * passages.size() / questions);
            long asked = System.nanoTime();
            List<String> nearest = index.find(Passages.question(about), NEAREST);
            times[i] = System.nanoTime() - asked;
            nearest.forEach(passage -> found.append(' ').append(passages.indexOf(passage)));
        }
        Arrays.sort(times);
        System.out.println(found);
        System.out.println("start " + started);
        System.out.println("index " + indexed / 1_000_000);
        System.out.println("cpu " + cpuOfIndex / 1_000_000);
        System.out.println("median " + times[questions / 2] / 1_000);
        System.out.println("p99 " + times[questions * 99 / 100] / 1_000);
        System.out.println("memory " + peakMib());
        System.exit(0);
    }

    /** Returns the peak of resident memory as Linux counts it; 0 on other systems. */
    private static long peakMib() throws Exception {
        Path status = Path.of("/proc/self/status");
        return Files.isReadable(status)
                ? Files.readString(status)
                        .lines()
                        .filter(line -> line.startsWith("VmHWM:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                        .findFirst()
                        .orElse(0)
                : 0;
    }
}
