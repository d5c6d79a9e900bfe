package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: transactions")
class SimTransactionContractTest extends TransactionContract {
    @Override
    ContractCluster connect() {
        return new SimContractCluster();
    }
}
