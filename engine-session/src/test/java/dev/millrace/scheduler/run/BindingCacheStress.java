package dev.millrace.scheduler.run;

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
public class BindingCacheStress {
    private final BindingCache cache = new BindingCache(1, 4);
    private final Binding first = binding();
    private final Binding second = binding();

    /** One that fits every frame. */
    private static Binding binding() {
        return new Binding(
                0, 0, List.of(), List.of(), List.of(), 0, List.of(), List.of(), List.of(), List.of(), List.of());
    }

    @SuppressWarnings("NullAway") // a binding without keys looks at no frame
    private int added(Binding binding) {
        return cache.add(0, binding, null) == first ? 1 : 2;
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
