package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on a real broker: transactions")
class EmbeddedTransactionContractTest extends TransactionContract {
    @Override
    public ContractCluster connect() {
        return new EmbeddedContractCluster(EmbeddedKafka.shared());
    }
}
