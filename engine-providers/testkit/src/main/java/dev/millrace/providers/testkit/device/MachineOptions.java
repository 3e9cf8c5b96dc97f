package dev.millrace.providers.testkit.device;

import java.util.SplittableRandom;

/**
 * The options of a simulated machine.
 *
 * @param order the order of events that do not depend on each other
 * @param costs the durations of operations
 * @param copiesBetweenDevices whether a stream copies between memories of two devices
 * @param waitsBetweenDevices whether a stream waits for a stream of another device
 * @param keepsBack whether streams keep work back until they are flushed
 * @param oneAtATime whether a device does one operation at a time, on whichever of its streams
 */
public record MachineOptions(
        Order order,
        CostModel costs,
        boolean copiesBetweenDevices,
        boolean waitsBetweenDevices,
        boolean keepsBack,
        boolean oneAtATime) {

    /** The orders in which a machine does what is ready. */
    public enum Order {
        /** Any event that is ready, however long operations take; the seed picks. */
        ANY,
        /** The event that is due first in virtual time; the seed picks among equals. */
        TIME
    }

    /** Returns the options of a machine whose seed picks the order and whose devices know each other. */
    public static MachineOptions defaults() {
        return new MachineOptions(Order.ANY, CostModel.linear(5_000, 100, 10_000), true, true, true, false);
    }

    /** Returns options whose order and abilities a seed draws, for code that has to work with any. */
    public static MachineOptions drawn(long seed) {
        var random = new SplittableRandom(seed);
        return new MachineOptions(
                random.nextInt(4) == 0 ? Order.TIME : Order.ANY,
                defaults().costs,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean());
    }

    public MachineOptions withOrder(Order value) {
        return new MachineOptions(value, costs, copiesBetweenDevices, waitsBetweenDevices, keepsBack, oneAtATime);
    }

    public MachineOptions withCosts(CostModel value) {
        return new MachineOptions(order, value, copiesBetweenDevices, waitsBetweenDevices, keepsBack, oneAtATime);
    }

    public MachineOptions withCopiesBetweenDevices(boolean value) {
        return new MachineOptions(order, costs, value, waitsBetweenDevices, keepsBack, oneAtATime);
    }

    public MachineOptions withWaitsBetweenDevices(boolean value) {
        return new MachineOptions(order, costs, copiesBetweenDevices, value, keepsBack, oneAtATime);
    }

    public MachineOptions withKeepsBack(boolean value) {
        return new MachineOptions(order, costs, copiesBetweenDevices, waitsBetweenDevices, value, oneAtATime);
    }

    public MachineOptions withOneAtATime(boolean value) {
        return new MachineOptions(order, costs, copiesBetweenDevices, waitsBetweenDevices, keepsBack, value);
    }
}
