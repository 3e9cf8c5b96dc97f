package dev.millrace.bench.serve;

import dev.millrace.bench.compare.FreshProcess;
import dev.millrace.bench.compare.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The figures of many clients of many sessions.
 *
 * @param perSecond answers per second of each model
 * @param fairness the lowest fairness index of a model among its clients
 * @param resident the memory while clients send requests
 */
record LoadFigures(List<Double> perSecond, long failures, double fairness, Resident resident, double peakMib) {
    private static final double NANOS = 1e9;
    private static final double KIB_PER_MIB = 1024;
    private static final int FIRST_RESIDENT = 2;
    private static final int PEAK = FIRST_RESIDENT + 2 * Resident.MOMENTS;
    private static final int FIRST_CLIENT = PEAK + 1;

    /**
     * The memory at a moment.
     *
     * @param mib the resident memory
     * @param heapMib the part of it that is the heap
     */
    record Memory(double mib, double heapMib) {
        double besideHeapMib() {
            return mib - heapMib;
        }
    }

    /** The memory after a tenth of the time, when everything has been requested once, at half time and at the end. */
    record Resident(Memory tenth, Memory half, Memory end) {
        static final int MOMENTS = 3;

        double growth() {
            return end.mib / tenth.mib;
        }

        double growthBesideHeap() {
            return end.besideHeapMib() / tenth.besideHeapMib();
        }
    }

    static LoadFigures of(Orders orders) throws Exception {
        List<Long> said =
                new FreshProcess(ServeLoad.class, orders.toArguments()).say().numbers();
        long[] answers =
                said.stream().skip(FIRST_CLIENT).mapToLong(Long::longValue).toArray();
        int models = orders.files().size();
        var perSecond = new ArrayList<Double>();
        double fairness = 1;
        for (int model = 0; model < models; model++) {
            long[] ofModel = ofModel(answers, model, models);
            perSecond.add(LongStream.of(ofModel).sum() * NANOS / said.get(0));
            fairness = Math.min(fairness, Fairness.jain(ofModel));
        }
        return new LoadFigures(
                perSecond,
                said.get(1),
                fairness,
                new Resident(memory(said, 0), memory(said, 1), memory(said, 2)),
                said.get(PEAK) / KIB_PER_MIB);
    }

    private static Memory memory(List<Long> said, int moment) {
        int at = FIRST_RESIDENT + 2 * moment;
        return new Memory(said.get(at) / KIB_PER_MIB, said.get(at + 1) / KIB_PER_MIB);
    }

    private static long[] ofModel(long[] answers, int model, int models) {
        return IntStream.range(0, answers.length)
                .filter(client -> client % models == model)
                .mapToLong(client -> answers[client])
                .toArray();
    }

    double total() {
        return perSecond.stream().mapToDouble(Double::doubleValue).sum();
    }

    /**
     * Returns the mean of the models' ratios to another side's, which no policy of preferring some models can raise.
     */
    double ratioTo(LoadFigures other) {
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < perSecond.size(); i++) {
            ratios.add(perSecond.get(i) / other.perSecond.get(i));
        }
        return Numbers.geometricMean(ratios);
    }
}
