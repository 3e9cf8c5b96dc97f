package dev.millrace.providers.testkit.plan;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.MachineOptions;
import dev.millrace.providers.testkit.device.SimulatedDevice;
import dev.millrace.providers.testkit.device.SimulatedKernel;
import dev.millrace.providers.testkit.device.SimulatedMachine;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceArena;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.scheduler.run.DeviceStreams;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random graph that is planned over the host and one to three simulated devices, all of which a seed decides. */
final class SimulatedPlan implements AutoCloseable {
    private static final WorkerPool NO_WORKERS = new WorkerPool(0);

    private final long seed;
    private final SimulatedMachine machine;
    private final List<SimulatedDevice> devices = new ArrayList<>();
    private final DeviceServices services;
    private final PlanRunner runner;

    SimulatedPlan(Graph graph, long seed) {
        this.seed = seed;
        this.machine = new SimulatedMachine(seed, MachineOptions.drawn(seed));
        // without chunks that are shared, memory is poisoned as soon as it is free
        this.services = DeviceServices.of(
                machine,
                new DeviceStreams(),
                seed % 2 == 0 ? DeviceArena.Options.DEFAULT : DeviceArena.Options.UNPOOLED);
        var random = new Random(seed);
        var all = new ArrayList<Device>(List.of(Device.CPU));
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            devices.add(machine.device("device " + i, 1 + random.nextInt(3)));
        }
        all.addAll(devices);
        Plan plan = PlanBuilder.build(graph, node -> assignment(SmallKernels.of(node), all, random));
        this.runner = new PlanRunner(plan, NO_WORKERS, 1, 4, new IdleMemory(), services);
    }

    private static PlanBuilder.Assignment assignment(Kernel kernel, List<Device> devices, Random random) {
        Device device = devices.get(random.nextInt(devices.size()));
        return device != Device.CPU && kernel instanceof ShapedKernel shaped
                ? new PlanBuilder.Assignment(
                        new SimulatedKernel(shaped), device.info().name(), device)
                : new PlanBuilder.Assignment(kernel, "host", Device.CPU);
    }

    /** Returns a runner of the same graph on the host alone. */
    static PlanRunner onHost(Graph graph) {
        Plan plan =
                PlanBuilder.build(graph, node -> new PlanBuilder.Assignment(SmallKernels.of(node), "host", Device.CPU));
        return new PlanRunner(plan, NO_WORKERS, 1, 4);
    }

    SimulatedMachine machine() {
        return machine;
    }

    List<SimulatedDevice> devices() {
        return devices;
    }

    PlanRunner runner() {
        return runner;
    }

    List<List<Float>> run(long request) {
        return run(runner, seed, request, new Cancellation());
    }

    List<List<Float>> run(long request, Cancellation cancellation) {
        return run(runner, seed, request, cancellation);
    }

    /** Returns the numbers of all results. */
    static List<List<Float>> run(PlanRunner runner, long seed, long request, Cancellation cancellation) {
        Tensor input = RandomGraph.input(seed * 2 + request);
        return numbers(runner.run(name -> input, cancellation, null));
    }

    static List<List<Float>> numbers(Datum[] results) {
        var answers = new ArrayList<List<Float>>();
        for (Datum datum : results) {
            var values = new ArrayList<Float>();
            for (float value : ((Tensor) datum).floats()) {
                values.add(value);
            }
            answers.add(values);
        }
        return answers;
    }

    /** Closes the plan and its streams, and the machine, which throws where a rule was broken or something is left. */
    @Override
    public void close() {
        runner.close();
        services.close();
        machine.settle();
        machine.close();
    }
}
