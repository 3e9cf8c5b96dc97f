package dev.millrace.scheduler.device;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ILL_Result;

/** Two sessions allocate and free at once, and a third one trims: ranges are apart, and nothing is lost. */
@JCStressTest
@Outcome(id = "1, 512, 0", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "ranges that overlap, or memory that is lost")
@State
public class DeviceArenaStress {
    private final ImmediateDevice device = new ImmediateDevice();
    private final DeviceArena arena =
            new DeviceArena(device.place(), new DeviceArena.Options(512, 512, Long.MAX_VALUE));
    private volatile DeviceRange one = arena.allocate(0);
    private volatile DeviceRange other = one;

    @Actor
    public void one() {
        arena.free(one);
        arena.free(arena.allocate(100));
        one = arena.allocate(200);
    }

    @Actor
    public void other() {
        other = arena.allocate(256);
        arena.trim();
    }

    @Arbiter
    public void after(ILL_Result result) {
        result.r1 = one.overlaps(other) ? 0 : 1;
        result.r2 = arena.statistics().usedBytes();
        arena.free(one);
        arena.free(other);
        arena.close();
        result.r3 = device.used();
    }
}
