package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.DeviceArena;
import dev.millrace.scheduler.device.ImmediateDevice;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJJ_Result;

/**
 * A session that stays and one that ends hold equal weights at once: they are there for the one that stays, uploaded once, or
 * again where the other one had ended before, and gone when both have ended.
 */
@JCStressTest
@Outcome(
        id = {"1, 16, 0", "2, 16, 0"},
        expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "weights that are missing, doubled or lost")
@State
public class DeviceWeightsStress {
    private static final Tensor WEIGHTS = Tensor.copyOf(new float[] {1, 2, 3, 4}, 4);

    private final ImmediateDevice device = new ImmediateDevice();
    private final DeviceArenas arenas = new DeviceArenas(new DeviceArena.Options(512, 512, Long.MAX_VALUE));
    private final DeviceWeights weights = new DeviceWeights(new DeviceStreams(1), arenas);
    private DeviceWeights.@Nullable Held staying;

    private DeviceWeights.Held hold() {
        return weights.hold(Map.of(0, new DeviceWeights.Wanted(device.place(), WEIGHTS)));
    }

    @Actor
    public void staying() {
        staying = hold();
    }

    @Actor
    public void ending() {
        hold().close();
    }

    @Arbiter
    public void after(IJJ_Result result) {
        result.r1 = device.copies();
        result.r2 = weights.bytes();
        if (staying != null) {
            staying.close();
        }
        arenas.close();
        result.r3 = weights.bytes() + device.used();
    }
}
