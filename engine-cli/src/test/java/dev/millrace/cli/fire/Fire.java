package dev.millrace.cli.fire;

import dev.millrace.codegen.testing.TestScale;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Attempts by number, each with random numbers of its own, so that one that fails can be made again alone. The build makes a share
 * of them ({@link TestScale}).
 *
 * <ul>
 *   <li>{@code -Dmillrace.fire.times=N}: N times all attempts
 *   <li>{@code -Dmillrace.fire.minutes=N}: as many attempts of each kind as N minutes hold
 *   <li>{@code -Dmillrace.fire.seed=N}: other attempts
 *   <li>{@code -Dmillrace.fire.only=N}: the attempt of this number and no other
 * </ul>
 */
public final class Fire {
    public static final long SEED = Long.getLong("millrace.fire.seed", 7);

    private static final String TIMES_PROPERTY = "millrace.fire.times";
    private static final long MINUTES = Long.getLong("millrace.fire.minutes", 0);
    private static final @Nullable Long ONLY = Long.getLong("millrace.fire.only");
    private static final int FAILURES_SHOWN = 20;
    /** Held, since its level is lost with it: what models say of themselves and isn't so fills the log otherwise. */
    private static final Logger NOTES = Logger.getLogger("dev.millrace");

    static {
        NOTES.setLevel(Level.SEVERE);
    }

    private Fire() {}

    /** An attack; what it finds wrong it throws as an {@link AssertionError}, and where it fails itself, that is found, too. */
    public interface Attempt {
        void go(Random random) throws Exception;
    }

    /**
     * Makes the share of {@code count} attempts, or as many as the properties say, and fails with all that was found.
     *
     * @param summary says at the end what came of them
     */
    public static void attempts(String what, int count, Object summary, Attempt attempt) throws Exception {
        long start = System.nanoTime();
        long end = start + TimeUnit.MINUTES.toNanos(MINUTES);
        var found = new ArrayList<String>();
        @Nullable Throwable first = null;
        long number = ONLY == null ? 0 : ONLY;
        long done = 0;
        int wanted = times(count);
        while (ONLY != null ? done == 0 : MINUTES > 0 ? System.nanoTime() < end : done < wanted) {
            var draw = new Draw(what, number);
            try {
                attempt.go(draw);
            } catch (AssertionError | RuntimeException e) {
                first = first == null ? e : first;
                String wrong = e instanceof AssertionError ? e.getMessage() : e.toString();
                found.add(draw + ": " + wrong);
                System.out.println(found.getLast());
            }
            number++;
            done++;
        }
        System.out.printf(
                "%s, seed %d: %d attempts in %d s, %d found; %s%n",
                what, SEED, done, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start), found.size(), summary);
        if (first != null) {
            throw new AssertionError(what + ", " + found.size() + " found\n" + shown(found), first);
        }
    }

    /** Returns the number of attempts of a kind that has so many. */
    public static int times(int count) {
        return TestScale.times(TIMES_PROPERTY, count);
    }

    private static String shown(List<String> found) {
        return String.join("\n", found.subList(0, Math.min(found.size(), FAILURES_SHOWN)));
    }

    /** The random numbers of an attempt, which say by what properties it is made again; neighbours have nothing in common. */
    private static final class Draw extends Random {
        private final long number;

        Draw(String what, long number) {
            super(new SplittableRandom(SEED * 1_000_003 + what.hashCode() * 31L + number).nextLong());
            this.number = number;
        }

        @Override
        public String toString() {
            return "-Dmillrace.fire.seed=" + SEED + " -Dmillrace.fire.only=" + number;
        }
    }
}
