package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.StreamPrograms;
import dev.millrace.scheduler.device.MemoryPlace;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two runs bind the same shapes at once: both get the binding that stays. */
@JCStressTest
@Outcome(
        id = {"1, 1, 1", "2, 2, 1"},
        expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "two bindings for the same shapes")
@State
public class StretchCacheStress {
    private final StretchCache cache = new StretchCache(1, 4);
    private final Stretch first = stretch();
    private final Stretch second = stretch();

    /** One that fits every frame. */
    private static Stretch stretch() {
        var programs = new StreamPrograms(List.of(), List.of(), 0, 0);
        var blocks = List.of(new Binding.Block(MemoryPlace.HOST, 0));
        var binding = new Binding(
                0, 0, List.of(), List.of(), programs, blocks, List.of(), List.of(), List.of(), List.of(), List.of());
        return new Stretch(binding, new StepParts[0]);
    }

    @SuppressWarnings("NullAway") // a binding without keys looks at no frame
    private int added(Stretch stretch) {
        return cache.add(0, stretch, null) == first ? 1 : 2;
    }

    @Actor
    public void one(III_Result result) {
        result.r1 = added(first);
    }

    @Actor
    public void other(III_Result result) {
        result.r2 = added(second);
    }

    @Arbiter
    public void after(III_Result result) {
        result.r3 = cache.all().size();
    }
}
