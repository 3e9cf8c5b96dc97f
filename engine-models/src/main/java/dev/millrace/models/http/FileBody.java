package dev.millrace.models.http;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A body that goes to a file, or to nowhere. */
final class FileBody implements BodySubscriber<Boolean> {
    private final PartialFile.@Nullable Writer writer;
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    /** @param writer the file; null for a body that nobody reads */
    FileBody(PartialFile.@Nullable Writer writer) {
        this.writer = writer;
    }

    @Override
    public CompletionStage<Boolean> getBody() {
        return done;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        if (writer == null) {
            given.cancel();
            done.complete(false);
        } else {
            given.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (writer == null || subscription == null || done.isDone()) {
            return;
        }
        try {
            writer.write(buffers);
            subscription.request(1);
        } catch (IOException | RuntimeException e) {
            subscription.cancel();
            onError(e);
        }
    }

    @Override
    public void onError(Throwable failure) {
        try {
            if (writer != null) {
                writer.close();
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        done.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        try {
            if (writer != null && !done.isDone()) {
                writer.end();
            }
            done.complete(true);
        } catch (IOException e) {
            done.completeExceptionally(e);
        }
    }
}
