package dev.millrace.models.s3;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.store.ObjectStore;
import dev.millrace.models.store.ObjectStoreProvider;
import dev.millrace.models.store.StoreSettings;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The store of names like {@code s3://BUCKET/KEY}. Credentials and region come from where the SDK of AWS looks for them.
 *
 * <p>Further settings: {@code AWS_ENDPOINT_URL_S3} or {@code AWS_ENDPOINT_URL} is the address of another store that speaks the
 * protocol; {@code MILLRACE_S3_PATH_STYLE} says whether the bucket stands in the path of addresses, as is the default with
 * another address; {@code MILLRACE_S3_ANONYMOUS} leaves signatures out.
 */
public final class S3StoreProvider implements ObjectStoreProvider {
    private static final Set<String> TRUE = Set.of("1", "true", "yes", "on");

    @Override
    public String scheme() {
        return "s3";
    }

    @Override
    public ObjectStore open(String bucket, StoreSettings settings) {
        String address = settings.get("AWS_ENDPOINT_URL_S3");
        URI endpoint = address == null ? uri(settings.get("AWS_ENDPOINT_URL")) : uri(address);
        try {
            var client = S3Client.builder()
                    .httpClient(UrlConnectionHttpClient.builder()
                            .connectionTimeout(settings.patience())
                            .socketTimeout(settings.patience())
                            .build())
                    .credentialsProvider(credentials(settings))
                    .region(region(settings, endpoint))
                    .crossRegionAccessEnabled(endpoint == null)
                    .forcePathStyle(isSet(settings, "MILLRACE_S3_PATH_STYLE", endpoint != null))
                    .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
            if (endpoint != null) {
                client.endpointOverride(endpoint);
            }
            return new S3Store(client.build(), bucket);
        } catch (SdkClientException e) {
            throw new EngineException(Status.FAIL, "s3://" + bucket + " cannot be asked: " + e.getMessage(), e);
        }
    }

    private static @Nullable URI uri(@Nullable String address) {
        if (address == null) {
            return null;
        }
        try {
            URI uri = URI.create(address);
            if (uri.getHost() != null && Set.of("http", "https").contains(String.valueOf(uri.getScheme()))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            throw EngineException.invalidArgument("'" + address + "' is no address of a store: " + e.getMessage());
        }
        throw EngineException.invalidArgument("'" + address + "' is no address of a store; it begins with https://");
    }

    private static boolean isSet(StoreSettings settings, String name, boolean otherwise) {
        String value = settings.get(name);
        return value == null ? otherwise : TRUE.contains(value.toLowerCase(Locale.ROOT));
    }

    /** Returns the credentials, found now, so that their absence has a sentence of its own. */
    private static AwsCredentialsProvider credentials(StoreSettings settings) {
        if (isSet(settings, "MILLRACE_S3_ANONYMOUS", false)) {
            return AnonymousCredentialsProvider.create();
        }
        var chain = DefaultCredentialsProvider.builder().build();
        try {
            chain.resolveCredentials();
            return chain;
        } catch (SdkClientException e) {
            throw new EngineException(
                    Status.FAIL,
                    "there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE,"
                            + " give the machine a role, or set MILLRACE_S3_ANONYMOUS=true for a public bucket",
                    e);
        }
    }

    /** Returns the region that is set. Without one, the first answer of S3 tells that of the bucket. */
    private static Region region(StoreSettings settings, @Nullable URI endpoint) {
        String given = settings.get("AWS_REGION");
        if (given != null) {
            return Region.of(given);
        }
        if (endpoint != null) {
            return Region.US_EAST_1;
        }
        try {
            return new DefaultAwsRegionProviderChain().getRegion();
        } catch (SdkClientException e) {
            return Region.US_EAST_1;
        }
    }
}
