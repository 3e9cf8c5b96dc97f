package dev.millrace.models.s3;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;

/** Failures of requests to a bucket, each as a sentence that says what to do. */
final class S3Failures {
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int FORBIDDEN = 403;
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;
    private static final int CHANGED = 412;
    private static final int FIRST_OF_SERVER = 500;

    private final String bucket;

    S3Failures(String bucket) {
        this.bucket = bucket;
    }

    /** Returns the failure of a store that does not answer; throws that of a store that refuses. */
    IOException of(String key, SdkException failure) {
        String where = "s3://" + bucket + "/" + key + ": ";
        if (failure instanceof AwsServiceException answered) {
            throw refusal(where, answered);
        }
        if (failure instanceof AbortedException || Thread.currentThread().isInterrupted()) {
            throw new EngineException(Status.CANCELLED, where + "the thread that downloads was interrupted", failure);
        }
        return new IOException(where + "the store does not answer: " + failure.getMessage(), failure);
    }

    private EngineException refusal(String where, AwsServiceException failure) {
        AwsErrorDetails details = failure.awsErrorDetails();
        String code = details == null || details.errorCode() == null ? "" : details.errorCode();
        return switch (code) {
            case "NoSuchBucket" -> refused(Status.NO_SUCH_FILE, where + "there is no bucket '" + bucket + "'", failure);
            case "NoSuchKey" -> refused(Status.NO_SUCH_FILE, where + "the bucket has no such object", failure);
            case "NoSuchVersion" ->
                refused(Status.NO_SUCH_FILE, where + "the bucket has no such object of this version", failure);
            case "InvalidAccessKeyId" ->
                refused(
                        Status.FAIL,
                        where + "the store does not know the access key; check AWS_ACCESS_KEY_ID",
                        failure);
            case "SignatureDoesNotMatch" ->
                refused(Status.FAIL, where + "the secret key is wrong; check AWS_SECRET_ACCESS_KEY", failure);
            case "ExpiredToken", "InvalidToken" ->
                refused(Status.FAIL, where + "the session's token is wrong or has expired; sign in again", failure);
            case "RequestTimeTooSkewed" ->
                refused(
                        Status.FAIL,
                        where + "the clock of this machine is wrong by more than 15 minutes; set it",
                        failure);
            default -> ofStatus(where, code, details, failure);
        };
    }

    private static EngineException ofStatus(
            String where, String code, @Nullable AwsErrorDetails details, AwsServiceException failure) {
        String said = details == null || details.errorMessage() == null ? "" : " (" + details.errorMessage() + ")";
        int status = failure.statusCode();
        return switch (status) {
            case UNAUTHORIZED, FORBIDDEN ->
                refused(
                        Status.FAIL,
                        where + "the credentials, or their absence, do not allow to read it" + said,
                        failure);
            case NOT_FOUND ->
                refused(Status.NO_SUCH_FILE, where + "the store has no such bucket or object" + said, failure);
            case CHANGED ->
                refused(Status.FAIL, where + "the object has changed while it was fetched; fetch it again", failure);
            default -> {
                boolean isBusy = status == TOO_MANY_REQUESTS || status >= FIRST_OF_SERVER;
                String named = code.isEmpty() ? "" : " " + code;
                yield refused(
                        isBusy ? Status.OVERLOADED : Status.FAIL,
                        where + "the store answers with status " + status + named + said,
                        failure);
            }
        };
    }

    private static EngineException refused(Status status, String sentence, AwsServiceException failure) {
        return new EngineException(status, sentence, failure);
    }
}
