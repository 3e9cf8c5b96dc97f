package dev.millrace.scheduler.run;

import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.ImmediateDevice;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A run gives its stream back while the next one in line is cancelled: that one gets the stream or leaves, never both. */
@JCStressTest
@Outcome(
        id = {"1, 0, 0", "0, 1, 0"},
        expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "a run that got a stream and left, or neither, or a stream that is lost")
@State
public class DeviceStreamsStress {
    private final ImmediateDevice device = new ImmediateDevice();
    private final DeviceStreams streams = new DeviceStreams(1);
    private final Waiting first = new Waiting();
    private final Waiting second = new Waiting();
    private final AtomicInteger left = new AtomicInteger();

    public DeviceStreamsStress() {
        streams.take(List.of(device), first);
        streams.take(List.of(device), second);
    }

    private static final class Waiting implements DeviceStreams.Taker {
        private final AtomicInteger count = new AtomicInteger();
        private volatile List<DeviceStream> taken = List.of();

        @Override
        public void taken(List<DeviceStream> ofRun) {
            count.incrementAndGet();
            taken = ofRun;
        }

        @Override
        public void failed(Throwable reason) {
            throw new AssertionError(reason);
        }
    }

    @Actor
    public void giver() {
        streams.give(first.taken);
    }

    @Actor
    public void canceller() {
        if (streams.leave(second)) {
            left.incrementAndGet();
        }
    }

    @Arbiter
    public void after(III_Result result) {
        result.r1 = second.count.get();
        result.r2 = left.get();
        streams.give(second.taken);
        streams.close();
        result.r3 = device.streams();
    }
}
