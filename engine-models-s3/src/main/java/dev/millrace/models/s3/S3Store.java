package dev.millrace.models.s3;

import dev.millrace.models.store.ObjectStore;
import dev.millrace.models.store.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A bucket of S3. */
final class S3Store implements ObjectStore {
    private static final int NOT_FOUND = 404;

    private final S3Client client;
    private final String bucket;
    private final S3Failures failures;
    private boolean known;

    S3Store(S3Client client, String bucket) {
        this.client = client;
        this.bucket = bucket;
        failures = new S3Failures(bucket);
    }

    private interface Call<T> {
        T send();
    }

    private <T> T send(String key, Call<T> call) throws IOException {
        try {
            T answer = call.send();
            known = true;
            return answer;
        } catch (SdkException e) {
            throw failures.of(key, e);
        }
    }

    @Override
    public @Nullable StoredObject find(String key, @Nullable String version) throws IOException {
        HeadObjectResponse head;
        try {
            head = client.headObject(request -> request.bucket(bucket).key(key).versionId(version));
            known = true;
        } catch (S3Exception e) {
            if (e.statusCode() != NOT_FOUND) {
                throw withReason(key, version, e);
            }
            requireBucket(key);
            return null;
        } catch (SdkException e) {
            throw failures.of(key, e);
        }
        return new StoredObject(key, tag(head.eTag()), version, head.contentLength());
    }

    /** Asks again in the way whose answer has a body: that to a question for the headers says only the status. */
    private IOException withReason(String key, @Nullable String version, S3Exception head) throws IOException {
        send(key, () -> {
            client.getObject(request ->
                            request.bucket(bucket).key(key).versionId(version).range("bytes=0-0"))
                    .abort();
            return true;
        });
        return failures.of(key, head);
    }

    /** Throws if there is no bucket, which an answer without a body does not say. */
    private void requireBucket(String key) throws IOException {
        if (!known) {
            send(
                    key,
                    () -> client.listObjectsV2(
                            request -> request.bucket(bucket).prefix(key).maxKeys(1)));
        }
    }

    @Override
    public List<StoredObject> list(String prefix) throws IOException {
        return send(prefix, () -> {
            var objects = new ArrayList<StoredObject>();
            for (S3Object each : client.listObjectsV2Paginator(
                            request -> request.bucket(bucket).prefix(prefix))
                    .contents()) {
                objects.add(new StoredObject(each.key(), tag(each.eTag()), null, each.size()));
            }
            return objects;
        });
    }

    @Override
    public InputStream read(StoredObject object, long from) throws IOException {
        return send(
                object.key(),
                () -> new S3Content(client.getObject(request -> request.bucket(bucket)
                        .key(object.key())
                        .versionId(object.version())
                        .ifMatch("\"" + object.tag() + "\"")
                        .range(from == 0 ? null : "bytes=" + from + "-"))));
    }

    private static String tag(String quoted) {
        return quoted.replace("\"", "");
    }

    @Override
    public void close() {
        client.close();
    }
}
