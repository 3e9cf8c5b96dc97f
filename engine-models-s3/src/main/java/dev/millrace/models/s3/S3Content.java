package dev.millrace.models.s3;

import java.io.FilterInputStream;
import java.io.IOException;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** The content of an object on its way. What is closed early is not read to its end. */
final class S3Content extends FilterInputStream {
    private final ResponseInputStream<GetObjectResponse> response;
    private boolean ended;

    S3Content(ResponseInputStream<GetObjectResponse> response) {
        super(response);
        this.response = response;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
        try {
            int read = super.read(bytes, from, count);
            ended |= read < 0;
            return read;
        } catch (SdkException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        if (ended) {
            super.close();
        } else {
            response.abort();
        }
    }
}
