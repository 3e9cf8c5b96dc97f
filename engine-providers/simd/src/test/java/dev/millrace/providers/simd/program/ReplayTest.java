package dev.millrace.providers.simd.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplayTest {
    private final KernelSet kernels = Kernels.shared().set();
    private final List<Integer> live = new ArrayList<>();
    /** One byte for each step, which copies it to the next place. */
    private final MemorySegment bytes = Arena.ofAuto().allocate(8);

    /** The step that takes more memory for its arguments than a step should, and the one whose work is tasks. */
    private int large = -1;

    private int ofTasks = -1;
    private int shares;

    @BeforeEach
    void needsMachineCode() {
        assumeTrue(kernels.newRecording() != null, "kernels of this machine are no machine code");
    }

    private Replay replay(boolean... repeats) {
        return replay(this::step, repeats);
    }

    private Replay replay(Replay.Live work, boolean... repeats) {
        var steps = new ArrayList<ProgramStep>();
        for (boolean each : repeats) {
            steps.add(ProgramStep.of("copy", "n").repeating(each).calling(memory -> crew -> {}));
        }
        return new Replay(steps, 1, kernels::newRecording, work);
    }

    private void step(int step) {
        live.add(step);
        Runnable copy = () -> Recording.copy(bytes.asSlice(step, 1), bytes.asSlice(step + 1, 1));
        Recording recording = Recording.ofThread();
        if (recording != null && step == ofTasks) {
            recording.tasks(2, task -> copy.run());
            return;
        }
        copy.run();
        if (recording != null && step == large) {
            recording.memory(100_000);
        }
    }

    private void share(Recording recording, int stretch, int tasks, long nanos) {
        shares++;
        for (int task = tasks - 1; task >= 0; task--) {
            recording.play(stretch, task, task + 1);
        }
    }

    /** Runs the steps on a first byte, and asserts that all copied it. Returns the steps that ran without replay. */
    private List<Integer> run(Replay replay, int steps, int first) {
        live.clear();
        bytes.fill((byte) 0);
        bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) first);
        for (int step = 0; step < steps; ) {
            step = replay.run(step, this::share);
        }
        byte[] expected = new byte[8];
        Arrays.fill(expected, 0, steps + 1, (byte) first);
        assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
        return List.copyOf(live);
    }

    @Test
    void theThirdRunMakesCallsAgain() {
        Replay replay = replay(true, true, true);
        assertThat(run(replay, 3, 1)).containsExactly(0, 1, 2);
        assertThat(run(replay, 3, 2)).containsExactly(0, 1, 2);
        assertThat(run(replay, 3, 3)).isEmpty();
        assertThat(run(replay, 3, 4)).isEmpty();
    }

    @Test
    void stepsThatDoNotRepeatStandBetweenThoseThatDo() {
        Replay replay = replay(true, false, true, true);
        run(replay, 4, 1);
        run(replay, 4, 2);
        assertThat(run(replay, 4, 3)).containsExactly(1);
    }

    @Test
    void whatTakesTooLongToFetchIsRunAsItIs() {
        Replay replay = replay(true, true, true, true);
        run(replay, 4, 1);
        large = 1;
        assertThat(run(replay, 4, 2)).containsExactly(0, 1, 1, 2, 3);
        large = -1;
        assertThat(run(replay, 4, 3)).containsExactly(1);
    }

    @Test
    void tasksAreShared() {
        Replay replay = replay(true, true, true, true);
        ofTasks = 2;
        run(replay, 4, 1);
        run(replay, 4, 2);
        assertThat(shares).isEqualTo(1);
        assertThat(run(replay, 4, 3)).isEmpty();
        assertThat(shares).isEqualTo(2);
    }

    @Test
    void whatWasRehearsedIsNeverRunAsItIs() {
        Replay replay = replay(true, true, false, true);
        bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
        replay.prewarm(step -> true);
        assertThat(bytes.get(ValueLayout.JAVA_BYTE, 1)).isZero();
        assertThat(run(replay, 4, 1)).containsExactly(2);
        assertThat(run(replay, 4, 2)).containsExactly(2);
    }

    @Test
    void aRehearsalLeavesOutWhatHasNoMemoryYetAndWhatIsTooLarge() {
        large = 2;
        Replay replay = replay(true, true, true);
        replay.prewarm(step -> step > 0);
        large = -1;
        assertThat(run(replay, 3, 1)).containsExactly(0, 2);
        assertThat(run(replay, 3, 2)).containsExactly(0, 2);
        assertThat(run(replay, 3, 3)).containsExactly(2);
    }

    @Test
    void whatCannotBeWrittenDownIsPractisedWhereThatIsAllowed() {
        var steps = List.of(
                ProgramStep.of("copy", "n").calling(memory -> crew -> {}),
                ProgramStep.of("copy", "n").practising().calling(memory -> crew -> {}),
                ProgramStep.of("copy", "n").practising().calling(memory -> crew -> {}));
        var replay = new Replay(steps, 1, kernels::newRecording, this::step);
        bytes.set(ValueLayout.JAVA_BYTE, 1, (byte) 9);
        replay.prewarm(step -> step < 2);
        assertThat(live).containsExactly(1);
        assertThat(bytes.get(ValueLayout.JAVA_BYTE, 2)).isZero();
        assertThat(run(replay, 3, 1)).containsExactly(0, 1, 2);
    }

    /** Weights may be converted when a step is prepared: that is done, and done once. */
    @Test
    void whatPreparesAStepIsNoPartOfItsRehearsal() {
        var steps = List.of(
                ProgramStep.of("copy", "n").repeating().calling(memory -> crew -> {}),
                ProgramStep.of("copy", "n").practising().calling(memory -> crew -> {}));
        var replay = new Replay(steps, 1, kernels::newRecording, new Replay.Live() {
            @Override
            public void run(int step) {
                step(step);
            }

            @Override
            public void prepare(int step) {
                Recording.copy(bytes.asSlice(0, 1), bytes.asSlice(6 + step, 1));
            }
        });
        bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) 9);
        replay.prewarm(step -> true);
        assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).containsExactly(9, 0, 0, 0, 0, 0, 9, 9);
        run(replay, 2, 1);
    }

    /** The memory that a step computes in held the data of other steps before. */
    @Test
    void aStepWritesItsArgumentsWhenThoseBeforeItAreDone() {
        Replay.Live work = step -> {
            if (step == 0) {
                bytes.set(ValueLayout.JAVA_BYTE, 1, (byte) 7);
                return;
            }
            if (step == 2) {
                bytes.set(ValueLayout.JAVA_BYTE, 1, (byte) 99);
            }
            Recording.copy(bytes.asSlice(step, 1), bytes.asSlice(step + 1, 1));
        };
        Replay replay = replay(work, false, true, true);
        for (int round = 0; round < 3; round++) {
            bytes.fill((byte) 0);
            for (int step = 0; step < 3; ) {
                step = replay.run(step, this::share);
            }
            assertThat(bytes.get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 7);
        }
    }

    @Test
    void otherMemoryIsToldApart() {
        Replay replay = replay(true, true, true);
        run(replay, 3, 1);
        run(replay, 3, 2);
        replay.forget(1);
        assertThat(run(replay, 3, 3)).containsExactly(0, 1, 2);
        assertThat(run(replay, 3, 4)).containsExactly(1);
        assertThat(run(replay, 3, 5)).containsExactly(1);
    }
}
