package dev.millrace.providers.testkit.device;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The faults that a simulated device is to have. Operations are kernels and single copies. They are numbered from 0 in
 * the order in which the device is given them, as allocations are.
 */
public final class Faults {
    private final List<Planned> planned = new ArrayList<>();
    private final Map<Fault, Double> probabilities = new EnumMap<>(Fault.class);

    private record Planned(Fault fault, long number) {}

    Faults() {}

    /** Plans a fault for the operation or allocation of a number. {@link Fault#HALF_COPY} waits for the next copy. */
    public Faults at(Fault fault, long number) {
        planned.add(new Planned(fault, number));
        return this;
    }

    /** Gives each operation, or each allocation, a fault with a probability; the machine's seed decides. */
    public Faults atRandom(Fault fault, double probability) {
        probabilities.put(fault, probability);
        return this;
    }

    /** Returns the fault of an operation, or null. */
    @Nullable
    Fault ofOperation(long number, boolean isCopy, RandomGenerator random) {
        for (Iterator<Planned> each = planned.iterator(); each.hasNext(); ) {
            Planned next = each.next();
            boolean isDue = next.fault == Fault.HALF_COPY ? isCopy && next.number <= number : next.number == number;
            if (next.fault != Fault.OUT_OF_MEMORY && isDue) {
                each.remove();
                return next.fault;
            }
        }
        for (Map.Entry<Fault, Double> each : probabilities.entrySet()) {
            boolean fits = each.getKey() != Fault.OUT_OF_MEMORY && (isCopy || each.getKey() != Fault.HALF_COPY);
            if (fits && random.nextDouble() < each.getValue()) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Whether an allocation finds no memory. */
    boolean isOutOfMemory(long number, RandomGenerator random) {
        return planned.remove(new Planned(Fault.OUT_OF_MEMORY, number))
                || probabilities.containsKey(Fault.OUT_OF_MEMORY)
                        && random.nextDouble() < probabilities.getOrDefault(Fault.OUT_OF_MEMORY, 0.0);
    }
}
