package dev.millrace.providers.testkit.device;

import static dev.millrace.providers.testkit.device.Floats.add;
import static dev.millrace.providers.testkit.device.Floats.allocate;
import static dev.millrace.providers.testkit.device.Floats.download;
import static dev.millrace.providers.testkit.device.Floats.fill;
import static dev.millrace.providers.testkit.device.Floats.free;
import static dev.millrace.providers.testkit.device.Floats.host;
import static dev.millrace.providers.testkit.device.Floats.upload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the checker finds each pair of accesses that nothing orders, whatever the seed, and no other. */
class RacesTest {
    private static final class Fixture {
        final SimulatedMachine machine;
        final SimulatedStream one;
        final SimulatedStream two;

        Fixture(long seed) {
            machine = new SimulatedMachine(seed);
            SimulatedDevice device = machine.device("gpu");
            one = device.createStream(new StreamOptions("one"));
            two = device.createStream(new StreamOptions("two"));
        }

        List<String> errors() {
            one.flush();
            two.flush();
            machine.settle();
            return machine.takeErrors();
        }

        /** Makes the second stream wait for all that the first one has been given. */
        void order() {
            two.waitFor(one, one.signal());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aReadWithoutAWaitForTheWriteIsARaceWhateverTheOrder(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        DeviceBuffer b = allocate(on.two);
        on.order();
        on.one.submit(fill("fill", a, 1));
        on.two.submit(add("add", a, b, 1));
        assertThat(on.errors())
                .anySatisfy(error -> assertThat(error)
                        .startsWith("race:")
                        .contains("fill on gpu/0 writes gpu #0[0, 16)", "add on gpu/1 reads gpu #0[0, 16)"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aWaitOrdersAReadBehindAWrite(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        DeviceBuffer b = allocate(on.two);
        MemorySegment result = host(0);
        on.one.submit(fill("fill", a, 1));
        on.order();
        on.two.submit(add("add", a, b, 1));
        download(b, result, on.two);
        assertThat(on.errors()).isEmpty();
        assertThat(Floats.get(result)).containsOnly(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aWriteBesideAReadIsARace(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        DeviceBuffer b = allocate(on.two);
        on.one.submit(fill("fill", a, 1));
        on.order();
        on.one.submit(add("read", a, a, 0));
        on.two.submit(fill("write", a, 1));
        on.two.submit(fill("elsewhere", b, 1));
        assertThat(on.errors())
                .anySatisfy(error -> assertThat(error).startsWith("race:").contains("read on", "write on"))
                .noneSatisfy(error -> assertThat(error).contains("elsewhere"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void twoWritesWithoutAnOrderAreARaceThoughTheyWriteTheSame(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        on.order();
        on.one.submit(fill("first", a, 1));
        on.two.submit(fill("second", a, 1));
        assertThat(on.errors()).singleElement().asString().contains("first on gpu/0", "second on gpu/1");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void rangesThatDoNotMeetAreNoRace(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        on.order();
        on.one.submit(half("left", a, 0));
        on.two.submit(half("right", a, 8));
        assertThat(on.errors()).isEmpty();
    }

    private static Operation half(String name, DeviceBuffer buffer, long offset) {
        return new Operation(
                name,
                List.of(),
                List.of(Floats.all(buffer).slice(offset, 8)),
                0,
                (reads, writes) -> writes.getFirst().fill((byte) 0));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void waitsOrderTransitively(long seed) {
        var on = new Fixture(seed);
        SimulatedStream three = on.one.device().createStream(new StreamOptions("three"));
        DeviceBuffer a = allocate(on.one);
        on.one.submit(fill("fill", a, 1));
        on.order();
        three.waitFor(on.two, on.two.signal());
        three.submit(add("add", a, a, 1));
        three.flush();
        assertThat(on.errors()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatTheHostHasSeenToBeOverIsBeforeWhatItSubmitsThen(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        on.one.submit(fill("fill", a, 1));
        long time = on.one.signal();
        on.one.flush();
        on.one.whenCompleted(time, failure -> {
            on.two.submit(add("add", a, a, 1));
            on.two.flush();
        });
        assertThat(on.errors()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theHostKnowsNothingOfWhatIsOverUnlessItAsks(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        on.one.submit(fill("fill", a, 1));
        long time = on.one.signal();
        on.one.flush();
        on.machine.settle();
        if (seed % 2 == 0) {
            assertThat(on.one.completed()).isEqualTo(time);
        }
        on.two.submit(add("add", a, a, 1));
        assertThat(on.errors().isEmpty()).isEqualTo(seed % 2 == 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aStreamThatTheHostHasAwaitedIsBeforeWhatItSubmitsThen(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        on.one.submit(fill("fill", a, 1));
        assertThat(on.one.await(on.one.signal(), Duration.ofSeconds(1))).isTrue();
        on.two.submit(add("add", a, a, 1));
        assertThat(on.errors()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aWriteOfAPartRacesWithAReadOfTheWhole(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        DeviceBuffer b = allocate(on.one);
        on.one.submit(fill("fill", a, 1));
        on.order();
        on.one.submit(add("whole", a, b, 1));
        on.two.submit(half("part", a, 8));
        assertThat(on.errors()).singleElement().asString().contains("whole on gpu/0", "part on gpu/1");
    }

    @Test
    void memoryThatIsForgottenIsForgottenToTheByte() {
        var errors = new ArrayList<String>();
        var checker = new RaceChecker(errors::add);
        var clock = new VectorClock();
        MemorySegment memory = host(0);
        checker.allocate(DeviceOperand.ofHost(memory), new MemoryAccess("allocation", 0, 1, ""), true);
        checker.forget(DeviceOperand.ofHost(memory.asSlice(8, 8)));
        clock.set(0, 1);
        checker.read(DeviceOperand.ofHost(memory.asSlice(8, 8)), new MemoryAccess("upper", 0, 2, ""), clock);
        assertThat(errors).isEmpty();
        checker.read(DeviceOperand.ofHost(memory.asSlice(0, 8)), new MemoryAccess("lower", 0, 2, ""), clock);
        assertThat(errors).singleElement().asString().startsWith("undefined memory: lower");
    }

    @Test
    void clocksThatLearnFromEachOtherStaySmall() {
        var one = new VectorClock();
        var two = new VectorClock();
        one.set(4, 1);
        two.set(8, 7);
        for (int i = 0; i < 100; i++) {
            one.join(two);
            two.join(one);
        }
        assertThat(one.get(8)).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void memoryThatNothingHasWrittenIsNotRead(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        on.one.submit(half("left", a, 0));
        on.one.submit(add("add", a, a, 1));
        assertThat(on.errors())
                .containsExactly("undefined memory: add on gpu/0 reads gpu #0[0, 16), which nothing has written");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void freedMemoryIsNotRead(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        DeviceBuffer b = allocate(on.one);
        on.one.submit(fill("fill", a, 1));
        free(a, on.one);
        on.one.submit(add("add", a, b, 1));
        assertThat(on.errors()).containsExactly("freed memory: add on gpu/0 reads gpu #0[0, 16)");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void memoryIsFreedInTheOrderOfAllItsReaders(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        DeviceBuffer b = allocate(on.two);
        on.one.submit(fill("fill", a, 1));
        on.order();
        on.two.submit(add("add", a, b, 1));
        free(a, on.one);
        assertThat(on.errors())
                .singleElement()
                .asString()
                .matches("(race: nothing orders|freed memory:).*")
                .contains("add on gpu/1 reads gpu #0");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anAllocationCountsForItsStreamAlone(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        on.two.submit(fill("fill", a, 1));
        assertThat(on.errors())
                .singleElement()
                .asString()
                .matches("race: nothing orders .*alloca.* and fill on gpu/1 writes gpu #0.*");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void memoryOfTheHostIsWatchedToo(long seed) {
        var on = new Fixture(seed);
        DeviceBuffer a = allocate(on.one);
        DeviceBuffer b = allocate(on.two);
        MemorySegment shared = host(1);
        on.one.submit(fill("fill", a, 1));
        download(a, shared, on.one);
        upload(shared, b, on.two);
        assertThat(on.errors()).anyMatch(error -> error.startsWith("race:") && error.contains("16 bytes of the host"));
    }
}
