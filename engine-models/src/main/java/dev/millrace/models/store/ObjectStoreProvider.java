package dev.millrace.models.store;

/**
 * A kind of object stores. {@link java.util.ServiceLoader} finds implementations; models have names like
 * {@code SCHEME://BUCKET/KEY} then.
 */
public interface ObjectStoreProvider {
    /** Returns the scheme of names, such as {@code s3}. */
    String scheme();

    /** Opens a bucket. It need not exist. */
    ObjectStore open(String bucket, StoreSettings settings);
}
